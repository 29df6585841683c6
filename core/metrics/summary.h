#pragma once
// A run up to one moment in numbers: what each request went through, and percentiles over all of them.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/metrics/metrics_log.h"
#include "core/metrics/percentiles.h"

namespace kvarium {

struct RequestMetrics {
  RequestId id{};
  std::optional<RequestId> parent;  ///< it was forked from; then it never waited for a first token of its own
  RequestStatus status{};
  FinishReason finish_reason{};  ///< meaningful when finished
  std::uint32_t prompt_tokens = 0;
  std::uint32_t hit_tokens = 0;  ///< of them, found at the first admission
  std::uint32_t answer_tokens = 0;
  std::uint32_t preemptions = 0;
  std::uint64_t arrived_step = 0;
  std::optional<std::uint64_t> admitted_step;  ///< the first time
  std::optional<std::uint64_t> ended_step;
  Waited waited;  ///< to start, and to start again
  // Milliseconds.
  std::optional<double> queue_ms;  ///< from arrival to the first admission
  std::optional<double> ttft_ms;   ///< time to first token: from arrival to the end of the step that sampled it
  std::optional<double> tpot_ms;   ///< time per output token after the first; answers of one token have none
};

struct MetricsSummary {
  StepMetrics now;
  std::vector<RequestMetrics> requests;    ///< by RequestId
  Percentiles ttft_ms, tpot_ms, queue_ms;  ///< of the requests that have one
  Percentiles waited_ms, waited_steps;     ///< of all that were not forked
  std::optional<RequestId> longest_wait;   ///< who waited for most steps; nothing: nobody waited
  std::uint64_t most_blocks_in_use = 0;    ///< at the end of any step so far
};

/// Of the moment that `world`, of the trace, shows. The log has followed the trace.
MetricsSummary summarise(const Trace& trace, const World& world, const MetricsLog& log);

}  // namespace kvarium
