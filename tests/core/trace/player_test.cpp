#include "core/trace/player.h"

#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};

/// 11 events. Step 1 starts at position 2, step 2 at position 8; A arrives with event 1 and finishes with event 10, and
/// takes its blocks with events 4 and 5.
void fill(Trace& trace) {
  for (const Event& event : prefill_events()) trace.emit(event);
  trace.emit(StepStarted{2});
  trace.emit(TokenSampled{kA, 6, TokenId{1}});
  trace.emit(RequestFinished{kA, FinishReason::max_tokens});
}

std::vector<std::size_t> all_forward(Player& player, Granularity granularity) {
  std::vector<std::size_t> positions{player.position()};
  while (player.forward(granularity)) positions.push_back(player.position());
  return positions;
}

std::vector<std::size_t> all_back(Player& player, Granularity granularity) {
  std::vector<std::size_t> positions{player.position()};
  while (player.back(granularity)) positions.push_back(player.position());
  return positions;
}

}  // namespace

TEST_CASE("a player of an empty trace is at its start and at its end") {
  const Trace trace;
  Player player(trace);
  CHECK(player.at_start());
  CHECK(player.at_end());
  CHECK_FALSE(player.forward(Granularity::step));
  CHECK_FALSE(player.back(Granularity::step));
  CHECK(player.last_event() == nullptr);
}

TEST_CASE("a player goes by events, by engine steps and by requests, and back the same way") {
  Trace trace;
  fill(trace);
  Player player(trace);
  CHECK(all_forward(player, Granularity::event) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(all_back(player, Granularity::event) == std::vector<std::size_t>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(all_forward(player, Granularity::step) == std::vector<std::size_t>{0, 2, 8, 11});
  CHECK(all_back(player, Granularity::step) == std::vector<std::size_t>{11, 8, 2, 0});
  CHECK(all_forward(player, Granularity::request) == std::vector<std::size_t>{0, 2, 11});
  CHECK(all_back(player, Granularity::request) == std::vector<std::size_t>{11, 2, 0});
}

TEST_CASE("a step from the middle of an engine step goes to its end or to its start") {
  Trace trace;
  fill(trace);
  Player player(trace);
  player.seek(5);
  CHECK(player.position_forward(Granularity::step) == 8);
  CHECK(player.position_back(Granularity::step) == 2);
}

TEST_CASE("a player finds the end of an engine step") {
  Trace trace;
  fill(trace);
  Player player(trace);
  player.seek_step(1);
  CHECK(player.position() == 8);
  player.seek_step(0);
  CHECK(player.position() == 2);
  player.seek_step(2);
  CHECK(player.at_end());
  player.seek_step(UINT64_MAX);
  CHECK(player.at_end());
  player.seek(99);
  CHECK(player.at_end());
}

TEST_CASE("a player jumps between marks of the kinds that are asked for") {
  Trace trace;
  fill(trace);
  Player player(trace);
  CHECK(player.next_mark(Mark::allocated));
  CHECK(player.position() == 5);
  CHECK(player.next_mark(Mark::allocated));
  CHECK(player.position() == 6);
  CHECK_FALSE(player.next_mark(Mark::allocated));
  CHECK(player.position() == 6);
  CHECK(player.next_mark(kRequestBoundaries | kMemoryMarks));
  CHECK(player.position() == 11);
  CHECK(player.previous_mark(Mark::allocated));
  CHECK(player.position() == 6);
  CHECK(std::get<BlockAllocated>(*player.last_event()).block == BlockId{3});
  CHECK(player.previous_mark(Mark::allocated));
  CHECK(player.position() == 5);
  CHECK_FALSE(player.previous_mark(Mark::allocated));
  CHECK_FALSE(player.previous_mark(Mark::preempted));
}

TEST_CASE("a player stays where it is while the trace grows, and follows when asked to") {
  Trace trace;
  for (const Event& event : prefill_events()) trace.emit(event);
  Player player(trace);
  player.to_end();
  trace.emit(StepStarted{2});
  CHECK(player.position() == 8);
  CHECK_FALSE(player.at_end());
  player.to_end();
  CHECK(player.at_end());
  CHECK(player.world() == trace.newest());
}

TEST_CASE("stepping back to the start and forward again gives the same worlds") {
  Trace trace;
  ServingRun run({}, 3, trace);
  for (int i = 0; i < 40; ++i) run.step();
  Player player(trace);
  std::vector<World> worlds{player.world()};
  while (player.forward(Granularity::step)) worlds.push_back(player.world());
  for (std::size_t i = worlds.size() - 1; i > 0; --i) {
    REQUIRE(player.world() == worlds[i]);
    REQUIRE(player.back(Granularity::step));
  }
  CHECK(player.world() == worlds[0]);
}
