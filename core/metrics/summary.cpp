#include "core/metrics/summary.h"

#include <algorithm>

namespace kvarium {
namespace {

constexpr double kNanosecondsAMillisecond = 1e6;

double milliseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / kNanosecondsAMillisecond; }

RequestMetrics measure(const RequestState& request, const World& world, const MetricsLog& log) {
  RequestMetrics metrics;
  metrics.id = request.id;
  metrics.parent = request.parent;
  metrics.status = request.status;
  metrics.finish_reason = request.finish_reason;
  metrics.prompt_tokens = request.prompt_tokens;
  metrics.hit_tokens = request.hit_tokens;
  metrics.answer_tokens = static_cast<std::uint32_t>(request.tokens.size()) - request.prompt_tokens;
  metrics.preemptions = request.preemptions;
  metrics.arrived_step = request.arrived_step;
  if (request.ended()) metrics.ended_step = request.ended_step;
  if (request.first_token_ns && metrics.answer_tokens > 1) {
    const double later = milliseconds(request.last_token_ns - *request.first_token_ns);
    metrics.tpot_ms = later / (metrics.answer_tokens - 1);
  }
  if (request.parent) return metrics;
  metrics.waited = log.waited(request.id, world);
  if (request.admitted_ns) {
    metrics.admitted_step = log.first_admitted(request.id);
    metrics.queue_ms = milliseconds(*request.admitted_ns - request.arrived_ns);
  }
  if (request.first_token_ns) metrics.ttft_ms = milliseconds(*request.first_token_ns - request.arrived_ns);
  return metrics;
}

template <typename Value>
Percentiles over(const std::vector<RequestMetrics>& requests, const Value& value) {
  std::vector<double> values;
  for (const RequestMetrics& request : requests) {
    if (const std::optional<double> one = value(request)) values.push_back(*one);
  }
  return percentiles(std::move(values));
}

void add_waits(MetricsSummary& summary) {
  const auto waited = [](auto part) {
    return [part](const RequestMetrics& request) -> std::optional<double> {
      if (request.parent) return std::nullopt;
      return part(request.waited);
    };
  };
  summary.waited_ms = over(summary.requests, waited([](const Waited& all) { return milliseconds(all.nanoseconds); }));
  summary.waited_steps =
      over(summary.requests, waited([](const Waited& all) { return static_cast<double>(all.steps); }));
  std::uint64_t most = 0;
  for (const RequestMetrics& request : summary.requests) {
    if (request.waited.steps <= most) continue;
    most = request.waited.steps;
    summary.longest_wait = request.id;
  }
}

}  // namespace

MetricsSummary summarise(const Trace& trace, const World& world, const MetricsLog& log) {
  MetricsSummary summary;
  summary.now = metrics_of(trace, world, log);
  for (const auto& request : world.requests) summary.requests.push_back(measure(*request, world, log));
  summary.ttft_ms = over(summary.requests, [](const RequestMetrics& request) { return request.ttft_ms; });
  summary.tpot_ms = over(summary.requests, [](const RequestMetrics& request) { return request.tpot_ms; });
  summary.queue_ms = over(summary.requests, [](const RequestMetrics& request) { return request.queue_ms; });
  add_waits(summary);
  summary.most_blocks_in_use = summary.now.blocks_in_use;
  for (std::uint64_t step = 0; step < world.step; ++step) {
    summary.most_blocks_in_use = std::max(summary.most_blocks_in_use, log.at(step).blocks_in_use);
  }
  return summary;
}

}  // namespace kvarium
