// The three texts of a run's metrics.

#include <algorithm>

#include "core/metrics/metrics_text.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

struct Texts {
  Texts() {
    Bench bench(8, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
    bench.engine.submit(ask("abcdefgh", 3));
    bench.run();
    bench.engine.submit(ask("abcdefghij", 2));
    bench.run();
    for (const Event& event : bench.sink.events) trace.emit(event);
    log.follow(trace);
    summary = summarise(trace, trace.newest(), log);
  }
  Trace trace;
  MetricsLog log;
  MetricsSummary summary;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("the page says hits, memory and times in words") {
  const Texts texts;
  const std::string text = metrics_text(texts.summary);
  CHECK_THAT(text, contains("Step 5: 0 running, 0 waiting, 0 preempted, 2 finished, 0 aborted"));
  CHECK_THAT(text, contains("Prefix cache: 8 of 18 tokens found (44.4 %)"));
  CHECK_THAT(text, contains("Blocks in use: 0 of 8, at most 3 so far"));
  CHECK_THAT(text, contains("Times are of this machine's clock."));
  CHECK_THAT(text, contains("Time to first token (TTFT): half at most"));
}

TEST_CASE("simulated times are called so in every text") {
  Texts texts;
  texts.summary.now.simulated = true;
  CHECK_THAT(metrics_text(texts.summary), contains("Times are simulated"));
  CHECK_THAT(prometheus_text(texts.summary, texts.log, texts.trace.newest()),
             contains(",time=\"simulated\",le=\"0.3\"}"));
  CHECK_THAT(requests_csv(texts.summary), contains(",1\n"));
}

TEST_CASE("the steps' CSV has a row a step and as many fields in each") {
  const Texts texts;
  const std::string csv = steps_csv(texts.log, 3);
  CHECK(lines(csv) == 5);  // a header, steps 0 to 3
  const auto commas = std::count(csv.begin(), csv.end(), ',');
  CHECK(commas == 5 * std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ','));
  CHECK_THAT(csv, contains("\n1,0.001000,0,1,0,0,0,0,8,2,32,8,0,8,0,0,0,0,0,0,0,0,8,1\n"));
}

TEST_CASE("the requests' CSV has a row a request, and nothing where there is nothing") {
  const Texts texts;
  const std::string csv = requests_csv(texts.summary);
  CHECK(lines(csv) == 3);
  CHECK_THAT(csv, contains("\nA,,finished,8,0,3,0,0,1,3,0,0.000000,0.000000,0.001000,0.001000,0\n"));
  CHECK_THAT(csv, contains("\nB,,finished,10,8,2,0,3,4,5,0,"));
}

TEST_CASE("Prometheus finds vLLM's names, cumulative buckets and a type for each") {
  const Texts texts;
  const std::string text = prometheus_text(texts.summary, texts.log, texts.trace.newest());
  for (const char* name : {"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
                           "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total",
                           "vllm:num_preemptions_total", "vllm:prompt_tokens_total", "vllm:generation_tokens_total",
                           "vllm:request_success_total", "vllm:time_to_first_token_seconds",
                           "vllm:inter_token_latency_seconds", "vllm:request_time_per_output_token_seconds",
                           "vllm:request_queue_time_seconds", "kvarium:evicted_blocks_total"}) {
    CHECK_THAT(text, contains(std::string("# TYPE ") + name + " "));
  }
  const std::string labels = "{model_name=\"fake\",engine=\"0\"";
  CHECK_THAT(text, contains("vllm:prefix_cache_queries_total" + labels + "} 18\n"));
  CHECK_THAT(text, contains("vllm:prefix_cache_hits_total" + labels + "} 8\n"));
  CHECK_THAT(text, contains("vllm:prompt_tokens_total" + labels + "} 18\n"));
  CHECK_THAT(text, contains("vllm:generation_tokens_total" + labels + "} 5\n"));
  CHECK_THAT(text, contains("vllm:request_success_total" + labels + ",finished_reason=\"length\"} 2\n"));
  CHECK_THAT(text, contains("vllm:time_to_first_token_seconds_bucket" + labels + ",le=\"0.001\"} 2\n"));
  CHECK_THAT(text, contains("vllm:inter_token_latency_seconds_count" + labels + "} 3\n"));
}
