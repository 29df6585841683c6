// Metrics of runs that are small enough to be counted by hand.

#include "core/metrics/metrics_text.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1};
constexpr std::uint64_t kMillisecond = 1'000'000;

void emit_all(Trace& trace, const std::vector<Event>& events) {
  for (const Event& event : events) trace.emit(event);
}

/// Blocks of 4. A (prompt 6) runs from step 1 on, B (prompt 4) waits for step 2; both end in step 3. Steps last 10, 20
/// and 30 milliseconds.
std::vector<Event> two_requests() {
  return {
      PoolCreated{4, blocks({0, 1, 2, 3, 4, 5, 6, 7})},
      RequestArrived{kA, tokens(6), 3},
      RequestArrived{kB, tokens(4), 2},
      StepStarted{1},
      RequestAdmitted{kA},
      PrefixMatched{kA, 6, 0},
      BlockAllocated{kA, BlockId{0}},
      BlockAllocated{kA, BlockId{1}},
      KvComputed{kA, 0, 6, Phase::prefill, true},
      TokenSampled{kA, 6, TokenId{1}},
      StepTimed{10 * kMillisecond, true},
      StepStarted{2},
      RequestAdmitted{kB},
      PrefixMatched{kB, 4, 0},
      BlockAllocated{kB, BlockId{2}},
      KvComputed{kA, 6, 1, Phase::decode, true},
      KvComputed{kB, 0, 4, Phase::prefill, true},
      TokenSampled{kA, 7, TokenId{2}},
      TokenSampled{kB, 4, TokenId{3}},
      StepTimed{20 * kMillisecond, true},
      StepStarted{3},
      BlockAllocated{kB, BlockId{3}},
      KvComputed{kA, 7, 1, Phase::decode, true},
      KvComputed{kB, 4, 1, Phase::decode, true},
      TokenSampled{kA, 8, TokenId{4}},
      BlockReleased{kA, BlockId{1}, 0},
      BlockReleased{kA, BlockId{0}, 0},
      RequestFinished{kA, FinishReason::max_tokens},
      TokenSampled{kB, 5, TokenId{5}},
      BlockReleased{kB, BlockId{3}, 0},
      BlockReleased{kB, BlockId{2}, 0},
      RequestFinished{kB, FinishReason::end_of_sequence},
      StepTimed{30 * kMillisecond, true},
  };
}

struct Measured {
  explicit Measured(const std::vector<Event>& events) {
    emit_all(trace, events);
    log.follow(trace);
    summary = summarise(trace, trace.newest(), log);
  }
  Trace trace;
  MetricsLog log;
  MetricsSummary summary;
};

}  // namespace

TEST_CASE("times are counted from arrival to the end of the step that gives a token") {
  const Measured run(two_requests());
  const RequestMetrics& a = run.summary.requests[0];
  const RequestMetrics& b = run.summary.requests[1];
  CHECK(a.queue_ms == 0.0);
  CHECK(a.ttft_ms == 10.0);
  CHECK(a.tpot_ms == 25.0);  // tokens at 10, 30 and 60
  CHECK(b.queue_ms == 10.0);
  CHECK(b.ttft_ms == 30.0);
  CHECK(b.tpot_ms == 30.0);
  CHECK(run.summary.ttft_ms == Percentiles{10, 30, 30});
  CHECK(run.log.token_gaps_ns(2) == std::vector<double>{20e6});
  CHECK(run.log.token_gaps_ns(3) == std::vector<double>{20e6, 30e6, 30e6});
}

TEST_CASE("waiting is counted in steps, and who waited longest is named") {
  const Measured run(two_requests());
  CHECK(run.summary.requests[0].waited.steps == 0);
  CHECK(run.summary.requests[1].waited.steps == 1);
  CHECK(run.summary.requests[1].waited.nanoseconds == 10 * kMillisecond);
  CHECK(run.summary.longest_wait == kB);
  CHECK(run.log.first_admitted(kB) == 2);
  CHECK(run.summary.waited_steps == Percentiles{0, 1, 1});
}

TEST_CASE("each step's end has its numbers: requests, blocks, empty slots") {
  const Measured run(two_requests());
  REQUIRE(run.log.steps().size() == 4);
  const StepMetrics& one = run.log.at(1);
  CHECK(one.running == 1);
  CHECK(one.waiting == 1);
  CHECK(one.blocks_in_use == 2);
  CHECK(one.held_slots == 8);
  CHECK(one.empty_slots == 2);
  CHECK(fragmentation(one) == 0.25);
  CHECK(block_utilisation(one) == 0.25);
  const StepMetrics& two = run.log.at(2);
  CHECK(two.running == 2);
  CHECK(two.blocks_in_use == 3);
  CHECK(two.empty_slots == 1);
  CHECK(two.computed_tokens == 11);
  CHECK(two.sampled_tokens == 3);
  const StepMetrics& three = run.log.at(3);
  CHECK(three.running == 0);
  CHECK(three.finished == 2);
  CHECK(three.blocks_in_use == 0);
  CHECK(run.summary.most_blocks_in_use == 3);
}

TEST_CASE("the numbers of a moment within a step count only what has happened") {
  const Measured run(two_requests());
  const std::vector<Event> events = two_requests();
  for (std::size_t n = 0; n <= events.size(); ++n) {
    const World world = run.trace.world_at(n);
    const StepMetrics now = metrics_of(run.trace, world, run.log);
    Trace begun;
    emit_all(begun, {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(n)});
    MetricsLog log;
    log.follow(begun);
    INFO("after " << n << " events");
    CHECK(now == log.steps().back());
  }
}

TEST_CASE("a log that follows a growing trace says what one says that reads it at once") {
  const std::vector<Event> events = two_requests();
  Trace trace;
  MetricsLog followed, at_once;
  for (const Event& event : events) {
    trace.emit(event);
    followed.follow(trace);
  }
  at_once.follow(trace);
  CHECK(followed.steps() == at_once.steps());
  CHECK(followed.waits(kB) == at_once.waits(kB));
}

TEST_CASE("a contiguous region's unused slots are fragmentation, and need no blocks") {
  const Measured run({ArenaCreated{64}, RequestArrived{kA, tokens(6), 10}, StepStarted{1}, RequestAdmitted{kA},
                      RegionReserved{kA, 0, 16}, KvComputed{kA, 0, 6, Phase::prefill, true}, StepTimed{5, false}});
  CHECK(run.summary.now.slots == 64);
  CHECK(run.summary.now.held_slots == 16);
  CHECK(run.summary.now.empty_slots == 10);
  CHECK(run.summary.now.blocks == 0);
}

TEST_CASE("a block that two candidates share counts once") {
  const Measured run({PoolCreated{4, blocks({0, 1, 2, 3})}, RequestArrived{kA, tokens(6), 3}, StepStarted{1},
                      RequestAdmitted{kA}, BlockAllocated{kA, BlockId{0}}, BlockAllocated{kA, BlockId{1}},
                      KvComputed{kA, 0, 6, Phase::prefill, true}, RequestForked{kB, kA}});
  CHECK(run.summary.now.running == 2);
  CHECK(run.summary.now.blocks_in_use == 2);
  CHECK(run.summary.now.empty_slots == 2);
  CHECK_FALSE(run.summary.requests[1].ttft_ms.has_value());  // its first token is its parent's
}

TEST_CASE("what only a radix tree holds is not in use") {
  Bench bench(8, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  bench.engine.submit(ask("abcdefgh", 2));
  bench.run();
  const Measured run(bench.sink.events);
  CHECK(run.log.at(1).blocks_in_use == 2);
  CHECK(run.summary.now.blocks_in_use == 0);
  CHECK(run.trace.newest().free_blocks.size() == 6);
}

TEST_CASE("case B06: a resume after a preemption changes neither hits nor queries, it is counted apart") {
  Bench bench(5, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  const Measured run(bench.sink.events);
  CHECK(run.summary.now.preemptions == 1);
  CHECK(run.summary.now.prefix == PrefixCounts{15, 0});
  CHECK(hit_rate(run.summary.now.prefix) == 0);
  CHECK(run.summary.now.resumed_prefix.hit_tokens == 4);
  CHECK(run.summary.requests[1].hit_tokens == 0);
  const std::string text = prometheus_text(run.summary, run.log, run.trace.newest());
  CHECK_THAT(text, contains("vllm:prefix_cache_hits_total{model_name=\"fake\",engine=\"0\"} 0\n"));
  CHECK_THAT(text, contains("kvarium:resumed_prefix_cache_hits_total{model_name=\"fake\",engine=\"0\"} 4\n"));
}

TEST_CASE("case B06: the preempted request's second wait is part of its waiting time") {
  Bench bench(5, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  const Measured run(bench.sink.events);
  REQUIRE(run.log.waits(kB).size() == 2);
  const Wait& again = run.log.waits(kB)[1];
  CHECK(run.summary.requests[1].waited.steps == again.end_step - again.first_step);
  CHECK(again.end_step > again.first_step);
  CHECK(run.summary.requests[1].queue_ms == 0.0);
  CHECK(run.log.waits(kA).size() == 1);
}

TEST_CASE("case B07: a request that waits for room is counted once, when it is admitted") {
  Bench bench(4, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; }, {},
              {.max_running = 1, .token_budget = 100});
  bench.engine.submit(ask("abcd", 8));
  bench.engine.submit(ask("efgh", 2));
  bench.run();
  const Measured run(bench.sink.events);
  CHECK(run.log.at(3).waiting == 1);
  CHECK(run.log.at(3).prefix.queried_tokens == 4);  // looked up in each step, counted in none
  CHECK(run.summary.now.prefix.queried_tokens == 8);
}

TEST_CASE("a request that is aborted while it waits has waited until then") {
  const Measured run({PoolCreated{4, blocks({0, 1})}, RequestArrived{kA, tokens(6), 3}, StepStarted{1},
                      StepTimed{7, false}, StepStarted{2}, StepTimed{7, false}, RequestAborted{kA}, StepStarted{3},
                      StepTimed{7, false}});
  CHECK(run.summary.requests[0].waited.steps == 2);
  CHECK(run.summary.requests[0].waited.nanoseconds == 14);
  CHECK(run.summary.now.aborted == 1);
  CHECK(run.summary.now.waiting == 0);
  CHECK_FALSE(run.summary.requests[0].queue_ms.has_value());
}

TEST_CASE("nothing has happened: all numbers are 0, no rate divides by it") {
  const Measured run({});
  CHECK(run.summary.now == StepMetrics{});
  CHECK(hit_rate(run.summary.now.prefix) == 0);
  CHECK_THAT(metrics_text(run.summary), contains("Step 0: 0 running"));
  CHECK(steps_csv(run.log, 0).find('\n') != std::string::npos);
}
