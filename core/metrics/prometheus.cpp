// Metrics in Prometheus' text format.
//
// vLLM's names and their meaning: docs/usage/metrics.md and vllm/v1/metrics/loggers.py of vLLM. A counter is declared
// there without the ending _total and exposed with it. Hits and queries of the prefix cache count tokens, each request
// once. "Usage" of the cache counts the blocks that requests hold: what is merely cached is free.

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/metrics/metrics_text.h"

namespace kvarium {
namespace {

// Upper ends of the buckets, seconds, as vLLM has them, so that its dashboards fit.
constexpr double kFirstToken[] = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
                                  1,     2.5,   5,    7.5,  10,   20,   40,   80,  160,  640, 2560};
constexpr double kBetweenTokens[] = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                     0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
constexpr double kRequest[] = {0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                               30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680};

class PrometheusText {
 public:
  PrometheusText(std::string_view model, bool simulated)
      : labels_(fmt::format("model_name=\"{}\",engine=\"0\"", escaped(model))),
        timed_labels_(labels_ + (simulated ? ",time=\"simulated\"" : "")) {}

  void gauge(std::string_view name, std::string_view help, double value) {
    head(name, help, "gauge");
    text += fmt::format("{}{{{}}} {}\n", name, labels_, value);
  }
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    head(fmt::format("{}_total", name), help, "counter");
    text += fmt::format("{}_total{{{}}} {}\n", name, labels_, value);
  }
  /// One counter a reason.
  void finished(const std::vector<std::pair<std::string_view, std::uint64_t>>& reasons) {
    head("vllm:request_success_total", "Requests that ended, by reason.", "counter");
    for (const auto& [reason, count] : reasons) {
      text += fmt::format("vllm:request_success_total{{{},finished_reason=\"{}\"}} {}\n", labels_, reason, count);
    }
  }
  void histogram(std::string_view name, std::string_view help, std::span<const double> ends,
                 const std::vector<double>& seconds) {
    head(name, help, "histogram");
    const auto bucket = [&](std::string_view end, std::size_t count) {
      text += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, timed_labels_, end, count);
    };
    for (const double end : ends) {
      std::size_t count = 0;
      for (const double value : seconds) count += value <= end ? 1 : 0;
      bucket(fmt::format("{}", end), count);
    }
    bucket("+Inf", seconds.size());
    double sum = 0;
    for (const double value : seconds) sum += value;
    text += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, timed_labels_, sum, seconds.size());
  }

  std::string text;

 private:
  static std::string escaped(std::string_view label) {
    std::string safe;
    for (const char letter : label) {
      if (letter == '\\' || letter == '"') safe += '\\';
      safe += letter == '\n' ? ' ' : letter;
    }
    return safe;
  }
  void head(std::string_view name, std::string_view help, std::string_view type) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }

  std::string labels_, timed_labels_;
};

template <typename Value>
std::vector<double> seconds(const MetricsSummary& summary, const Value& milliseconds) {
  std::vector<double> values;
  for (const RequestMetrics& request : summary.requests) {
    if (const std::optional<double> value = milliseconds(request)) values.push_back(*value / 1e3);
  }
  return values;
}

void add_requests(PrometheusText& out, const MetricsSummary& summary) {
  const StepMetrics& now = summary.now;
  out.gauge("vllm:num_requests_running", "Requests that run.", static_cast<double>(now.running));
  out.gauge("vllm:num_requests_waiting", "Requests that wait, also those that were preempted.",
            static_cast<double>(now.waiting + now.preempted));
  std::uint64_t stopped = 0, full = 0, prompts = 0;
  for (const RequestMetrics& request : summary.requests) {
    if (request.ttft_ms) prompts += request.prompt_tokens;
    if (request.status != RequestStatus::finished) continue;
    const bool at_limit =
        request.finish_reason == FinishReason::max_tokens || request.finish_reason == FinishReason::context_full;
    ++(at_limit ? full : stopped);
  }
  out.finished({{"stop", stopped}, {"length", full}, {"abort", now.aborted}});
  out.counter("vllm:num_preemptions", "Preemptions so far.", now.preemptions);
  out.counter("vllm:prompt_tokens", "Tokens of the prompts that were prefilled, found ones included.", prompts);
  out.counter("vllm:generation_tokens", "Tokens sampled.", now.sampled_tokens);
}

void add_memory(PrometheusText& out, const MetricsSummary& summary) {
  const StepMetrics& now = summary.now;
  if (now.blocks > 0) {
    out.gauge("vllm:kv_cache_usage_perc", "Share of the blocks that requests hold, 0 to 1.",
              share(now.blocks_in_use, now.blocks));
  }
  out.counter("vllm:prefix_cache_queries", "Tokens looked up in the prefix cache.", now.prefix.queried_tokens);
  out.counter("vllm:prefix_cache_hits", "Tokens found in the prefix cache.", now.prefix.hit_tokens);
  out.counter("kvarium:resumed_prefix_cache_queries", "Tokens looked up after a preemption.",
              now.resumed_prefix.queried_tokens);
  out.counter("kvarium:resumed_prefix_cache_hits", "Tokens found after a preemption.", now.resumed_prefix.hit_tokens);
  out.gauge("kvarium:held_slots", "Slots in blocks or regions that requests hold.",
            static_cast<double>(now.held_slots));
  out.gauge("kvarium:empty_slots", "Held slots without K and V: fragmentation.", static_cast<double>(now.empty_slots));
  out.counter("kvarium:evicted_blocks", "Blocks that were cached and are found no more.", now.evicted_blocks);
  out.counter("kvarium:copied_blocks", "Blocks copied on write.", now.copies.blocks);
  out.counter("kvarium:copied_tokens", "Slots copied on write.", now.copies.tokens);
  out.counter("kvarium:swapped_bytes", "Bytes swapped to the host and back.", now.swapped_bytes);
  out.counter("kvarium:computed_tokens", "Tokens whose K and V were computed, also again.", now.computed_tokens);
  out.counter("kvarium:steps", "Steps of the engine.", now.step);
}

void add_times(PrometheusText& out, const MetricsSummary& summary, const MetricsLog& log) {
  std::vector<double> gaps = log.token_gaps_ns(summary.now.step);
  for (double& gap : gaps) gap /= 1e9;
  out.histogram("vllm:time_to_first_token_seconds", "From arrival to the first token.", kFirstToken,
                seconds(summary, [](const RequestMetrics& request) { return request.ttft_ms; }));
  out.histogram("vllm:inter_token_latency_seconds", "Between a token and the one before it.", kBetweenTokens, gaps);
  out.histogram("vllm:request_time_per_output_token_seconds", "A request's mean time per token after the first.",
                kBetweenTokens, seconds(summary, [](const RequestMetrics& request) { return request.tpot_ms; }));
  out.histogram("vllm:request_queue_time_seconds", "From arrival to the first admission.", kRequest,
                seconds(summary, [](const RequestMetrics& request) { return request.queue_ms; }));
  out.histogram("kvarium:request_waiting_time_seconds", "In the queue, and waiting again after preemptions.", kRequest,
                seconds(summary, [](const RequestMetrics& request) -> std::optional<double> {
                  if (request.parent) return std::nullopt;
                  return static_cast<double>(request.waited.nanoseconds) / 1e6;
                }));
}

}  // namespace

std::string prometheus_text(const MetricsSummary& summary, const MetricsLog& log, const World& world) {
  PrometheusText out(world.model.name, summary.now.simulated);
  add_requests(out, summary);
  add_memory(out, summary);
  add_times(out, summary, log);
  return std::move(out.text);
}

}  // namespace kvarium
