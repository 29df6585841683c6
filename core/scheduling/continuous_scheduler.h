#pragma once
// Continuous batching (Yu et al. 2022, Orca; vLLM V1): who is done leaves after each step, and who waits joins at once.

#include <cstdint>
#include <string>

#include "core/scheduling/scheduler.h"

namespace kvarium {

/// In which order the waiting requests are looked at. The first one that does not fit ends the admissions, so that
/// nobody is overtaken for ever.
enum class WaitingOrder : std::uint8_t {
  first_come,      ///< preempted requests first, then by arrival
  priority,        ///< the highest first, of equals the one that arrived first; victims: the lowest, the newest first
  longest_prefix,  ///< the one of which most is cached first (SGLang: LPM), see cache_aware_order.h
  depth_first,     ///< those below the fullest branch of the cached prefixes first (SGLang: DFS-weight)
};

struct ContinuousOptions {
  WaitingOrder order = WaitingOrder::first_come;
  /// A prompt that does not fit into what is left of the budget is computed in parts. Without it, a prompt larger than
  /// the whole budget has a step for itself.
  bool chunked_prefill = false;
  std::uint32_t largest_chunk = 0;  ///< tokens of one request a step, with chunked_prefill; 0: as the budget allows
};

/// Running requests first: each gets its next token; when a block is missing, the newest (or the least important) is
/// preempted, at last the request itself. Then, if nobody was preempted, waiting requests are admitted as long as
/// places, budget and blocks suffice; and what is left over goes to drafts of the running ones.
class ContinuousScheduler final : public Scheduler {
 public:
  explicit ContinuousScheduler(ContinuousOptions options = {}) : options_(options) {}
  StepPlan plan(const SchedulerView& view) const override;
  std::string name() const override;
  bool serves_in_order() const override { return options_.order == WaitingOrder::first_come; }

 private:
  ContinuousOptions options_;
};

}  // namespace kvarium
