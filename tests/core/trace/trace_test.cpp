#include "core/trace/trace.h"

#include "core/error.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

TEST_CASE("a trace keeps its events and knows its newest world") {
  Trace trace;
  CHECK(trace.empty());
  for (const Event& event : prefill_events()) trace.emit(event);
  CHECK(trace.size() == 8);
  CHECK(std::get<StepStarted>(trace[2]).step == 1);
  CHECK(trace.newest() == prefilled_world());
  CHECK(trace.world_at(0) == World{});
  CHECK(trace.world_at(8) == trace.newest());
}

TEST_CASE("an event that cannot follow leaves the trace as it was") {
  Trace trace;
  for (const Event& event : prefill_events()) trace.emit(event);
  CHECK_THROWS_AS(trace.emit(BlockAllocated{RequestId{0}, BlockId{7}}), MisuseError);
  CHECK_THROWS_AS(trace.emit(StepStarted{9}), MisuseError);
  CHECK(trace.size() == 8);
  CHECK(trace.num_steps() == 1);
  CHECK(trace.newest() == prefilled_world());
  trace.emit(StepStarted{2});
  CHECK(trace.size() == 9);
}

TEST_CASE("a trace knows where its steps start") {
  Trace trace;
  for (const Event& event : prefill_events()) trace.emit(event);
  trace.emit(StepStarted{2});
  CHECK(trace.num_steps() == 2);
  CHECK(trace.start_of_step(1) == 2);
  CHECK(trace.start_of_step(2) == 8);
  CHECK(trace.step_at(2) == 0);
  CHECK(trace.step_at(3) == 1);
  CHECK(trace.step_at(8) == 1);
  CHECK(trace.step_at(9) == 2);
  CHECK_THROWS_AS(trace.start_of_step(0), MisuseError);
  CHECK_THROWS_AS(trace.start_of_step(3), MisuseError);
}

TEST_CASE("a place past the end of a trace is refused") {
  Trace trace;
  trace.emit(StepStarted{1});
  CHECK_THROWS_WITH(trace.world_at(2), contains("position 2 of a trace of 1 events"));
}

TEST_CASE("the world at any place is the fold of the events before it, with and without checkpoints") {
  Trace trace;
  ServingRun run({}, 7, trace);
  while (trace.size() < 20000) run.step();
  REQUIRE(trace.num_checkpoints() >= 3);

  std::mt19937_64 random(7);
  World folded, sought;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    fold(folded, trace[n]);
    if (random() % 500 != 0) continue;
    INFO("position " << n + 1);
    REQUIRE(trace.world_at(n + 1) == folded);
    trace.seek(sought, random() % trace.size());  // there and back again
    trace.seek(sought, n + 1);
    REQUIRE(sought == folded);
  }
}

TEST_CASE("checkpoints of a large pool are made rarely enough to weigh half of what the events weigh") {
  const std::size_t checkpoint_bytes = 100'000 * (sizeof(BlockState) + 12);  // 12: a link of the free queue
  Trace trace;
  trace.emit(PoolCreated{4, ascending_order(100'000)});
  const std::size_t steps = 5 * checkpoint_bytes / sizeof(Event);  // two checkpoints' worth, and not three
  for (std::uint64_t step = 1; step <= steps; ++step) trace.emit(StepStarted{step});
  CHECK(trace.num_checkpoints() == 2);
  CHECK(trace.num_checkpoints() * checkpoint_bytes <= trace.size() * sizeof(Event) / 2);
}
