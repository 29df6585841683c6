#include "core/trace/timeline.h"

#include <map>

#include "core/error.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0}, kB{1};

Timeline timeline_of(const Trace& trace) {
  Timeline timeline;
  timeline.follow(trace);
  return timeline;
}

void emit_all(Trace& trace, const std::vector<Event>& events) {
  for (const Event& event : events) trace.emit(event);
}

/// A waits in steps 0 and 1, is prefilled in 2, decoded in 3, preempted in 4, prefilled again in 5, and ends there.
void fill(Trace& trace) {
  emit_all(trace, {PoolCreated{4, blocks({0, 1, 2, 3})},
                   RequestArrived{kA, tokens(5), 2},
                   StepStarted{1},
                   StepStarted{2},
                   RequestAdmitted{kA},
                   BlockAllocated{kA, BlockId{0}},
                   BlockAllocated{kA, BlockId{1}},
                   KvComputed{kA, 0, 5, Phase::prefill, true},
                   KvRead{kA, 5},
                   TokenSampled{kA, 5, TokenId{1}},
                   StepStarted{3},
                   KvComputed{kA, 5, 1, Phase::decode, true},
                   KvRead{kA, 6},
                   StepStarted{4},
                   BlockReleased{kA, BlockId{1}, 0},
                   BlockReleased{kA, BlockId{0}, 0},
                   RequestPreempted{kA, 6},
                   StepStarted{5},
                   RequestAdmitted{kA},
                   BlockAllocated{kA, BlockId{2}},
                   KvComputed{kA, 0, 4, Phase::prefill, true},
                   BlockReleased{kA, BlockId{2}, 0},
                   RequestAborted{kA}});
}

}  // namespace

TEST_CASE("a lane tells in which steps a request waited, was prefilled, decoded and preempted") {
  Trace trace;
  fill(trace);
  CHECK(timeline_of(trace).lane(kA) == std::vector<LaneSegment>{{0, 2, LaneState::waiting},
                                                                {2, 3, LaneState::prefill},
                                                                {3, 4, LaneState::decode},
                                                                {4, 5, LaneState::preempted},
                                                                {5, 6, LaneState::prefill}});
}

TEST_CASE("a forked request's lane begins at the fork and names its parent") {
  Trace trace;
  emit_all(trace, prefill_events());
  trace.emit(StepStarted{2});
  trace.emit(RequestForked{kB, kA});
  const Timeline timeline = timeline_of(trace);
  CHECK_FALSE(timeline.fork(kA));
  CHECK(timeline.fork(kB) == Timeline::Fork{kA, trace.size() - 1});
  CHECK(timeline.lane(kB).front().first_step == 2);
}

TEST_CASE("a request whose K and V went to the host is swapped out until it runs again") {
  Trace trace;
  emit_all(trace, {PoolCreated{4, blocks({0, 1, 2, 3})}, RequestArrived{kA, tokens(4), 2}, StepStarted{1},
                   RequestAdmitted{kA}, BlockAllocated{kA, BlockId{0}}, KvComputed{kA, 0, 4, Phase::prefill, true},
                   StepStarted{2}, KvSwappedOut{kA, 4, 64}, BlockReleased{kA, BlockId{0}, 0}, RequestPreempted{kA, 0},
                   StepStarted{3}, RequestAdmitted{kA}, BlockAllocated{kA, BlockId{1}}, KvSwappedIn{kA, 4, 64},
                   BlockAllocated{kA, BlockId{2}}, KvComputed{kA, 4, 1, Phase::decode, true}});
  CHECK(timeline_of(trace).lane(kA) == std::vector<LaneSegment>{{0, 1, LaneState::waiting},
                                                                {1, 2, LaneState::prefill},
                                                                {2, 3, LaneState::swapped},
                                                                {3, 4, LaneState::decode}});
}

TEST_CASE("the lane of a request that goes on reaches to the newest step") {
  Trace trace;
  emit_all(trace, prefill_events());
  emit_all(trace, {StepStarted{2}, StepStarted{3}});
  Timeline timeline = timeline_of(trace);
  CHECK(timeline.lane(kA) == std::vector<LaneSegment>{{0, 1, LaneState::waiting}, {1, 4, LaneState::prefill}});
  trace.emit(StepStarted{4});
  timeline.follow(trace);
  CHECK(timeline.lane(kA).back().end_step == 5);
  CHECK_THROWS_AS(timeline.lane(kB), MisuseError);
}

TEST_CASE("work rows tell what each step computed and read") {
  Trace trace;
  fill(trace);
  const Timeline timeline = timeline_of(trace);
  const auto rows = timeline.work_rows(kA);
  CHECK(std::vector<WorkRow>(rows.begin(), rows.end()) == std::vector<WorkRow>{{2, 0, 5, 5, true, Phase::prefill},
                                                                               {3, 5, 1, 6, true, Phase::decode},
                                                                               {5, 0, 4, 0, true, Phase::prefill}});
  REQUIRE(timeline.work_row(kA, 3) != nullptr);
  CHECK(timeline.work_row(kA, 3)->read_count == 6);
  CHECK(timeline.work_row(kA, 4) == nullptr);
}

TEST_CASE("memory is told at each step's end") {
  Trace trace;
  fill(trace);
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.held(kA, 1) == Holding{});
  CHECK(timeline.held(kA, 2) == Holding{2, 5, 8});
  CHECK(timeline.held(kA, 3) == Holding{3, 6, 8});
  CHECK(timeline.held(kA, 4) == Holding{4, 0, 0});
  CHECK(timeline.holders(3) == std::vector<RequestId>{kA});
  CHECK(timeline.holders(4).empty());
  CHECK(timeline.held_slots(3) == 8);
  CHECK(timeline.held_slots(4) == 0);
  CHECK(timeline.held_slots(99) == 0);
}

TEST_CASE("a request that finds its beginning in the prefix cache holds it from then on") {
  Trace trace;
  emit_all(trace, prefill_events());
  emit_all(trace,
           {BlockCached{kA, BlockId{7}, 0, {1, 2}}, BlockReleased{kA, BlockId{3}, 0}, BlockReleased{kA, BlockId{7}, 0},
            RequestFinished{kA, FinishReason::max_tokens}, RequestArrived{kB, tokens(6), 1}, StepStarted{2},
            RequestAdmitted{kB}, BlockReused{kB, BlockId{7}}, PrefixMatched{kB, 6, 4}});
  CHECK(timeline_of(trace).held(kB, 2) == Holding{2, 4, 4});
}

TEST_CASE("a region is held whole from the start") {
  Trace trace;
  emit_all(trace,
           {ArenaCreated{64}, RequestArrived{kA, tokens(5), 2}, StepStarted{1}, RequestAdmitted{kA},
            RegionReserved{kA, 0, 32}, KvComputed{kA, 0, 5, Phase::prefill, true}, StepStarted{2}, RegionReleased{kA}});
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.held(kA, 1) == Holding{1, 5, 32});
  CHECK(timeline.held(kA, 2) == Holding{2, 0, 0});
}

TEST_CASE("marks know their event, step, request and block") {
  Trace trace;
  fill(trace);
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.marks().front() == TimelineMark{1, 0, kA, BlockId{}, Mark::arrived});
  const auto step4 = timeline.marks_of_steps(4, 5);
  CHECK(std::vector<TimelineMark>(step4.begin(), step4.end()) ==
        std::vector<TimelineMark>{{14, 4, kA, BlockId{1}, Mark::released},
                                  {15, 4, kA, BlockId{0}, Mark::released},
                                  {16, 4, kA, BlockId{}, Mark::preempted}});
  CHECK(timeline.marks_of_steps(1, 2).empty());
}

TEST_CASE("a block that two tables share is held once") {
  Trace trace;
  trace.emit(PoolCreated{4, blocks({0, 1, 2})});
  trace.emit(RequestArrived{kA, tokens(6), 4});
  trace.emit(RequestAdmitted{kA});
  for (const BlockId block : blocks({0, 1})) trace.emit(BlockAllocated{kA, block});
  trace.emit(StepStarted{1});
  trace.emit(KvComputed{kA, 0, 6, Phase::prefill, true});
  trace.emit(RequestForked{kB, kA});
  trace.emit(StepStarted{2});
  trace.emit(BlockCopied{kA, 1, BlockId{1}, BlockId{2}, 2});
  const Timeline timeline = timeline_of(trace);
  CHECK(timeline.held_slots(1) == 8);
  CHECK(timeline.held_slots(2) == 12);
  CHECK(timeline.held(kA, 2).slots == 8);
  CHECK(timeline.held(kB, 2).slots == 8);
}

TEST_CASE("at the end of every step of random runs the timeline holds what the world holds") {
  for (const std::uint64_t seed : {21, 22}) {
    INFO("seed " << seed);
    Trace trace;
    ServingRun run({}, seed, trace);
    Timeline timeline;
    std::map<std::uint32_t, World> worlds;
    for (std::uint32_t step = 1; step <= 600; ++step) {  // more than two of the groups that holders() looks through
      run.step();
      if (step % 7 == 0) timeline.follow(trace);
      worlds[step] = trace.newest();
    }
    timeline.follow(trace);
    for (const auto& [step, world] : worlds) {
      std::vector<RequestId> holders;
      std::uint64_t slots = 0;
      for (const auto& request : world.requests) {
        const Holding held = timeline.held(request->id, step);
        REQUIRE(held.slots == held_slots(world, *request));
        if (held.slots == 0) continue;
        REQUIRE(held.computed_tokens == request->computed_tokens);
        holders.push_back(request->id);
        slots += held.slots;
      }
      REQUIRE(timeline.holders(step) == holders);
      REQUIRE(timeline.held_slots(step) == slots);  // nothing is shared in these runs
    }
  }
}
