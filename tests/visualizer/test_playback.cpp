#include <algorithm>

#include "tests/support/catch.h"
#include "visualizer/app/playback.h"

using namespace kvarium;
using namespace kvarium::ui;

namespace {

/// Events 0, 1: set-up and arrival; three steps of three events each, from event 2 on.
void add_three_steps(Trace& trace) {
  trace.emit(PoolCreated{4, {BlockId{0}, BlockId{1}, BlockId{2}}});
  trace.emit(RequestArrived{RequestId{0}, {TokenId{1}}, 9});
  for (std::uint32_t step = 1; step <= 3; ++step) {
    trace.emit(StepStarted{step});
    trace.emit(BlockAllocated{RequestId{0}, BlockId{step - 1}});
    trace.emit(TokenSampled{RequestId{0}, step, TokenId{5}});
  }
}

}  // namespace

TEST_CASE("Playing waits between stops, longer at a slower speed, and pauses at the end") {
  Trace trace;
  add_three_steps(trace);
  Player player(trace);
  Playback playback;
  playback.toggle(player, false);
  playback.advance(0.0, player, false);
  CHECK(player.position() == 2);  // a press is answered at once
  playback.advance(0.5, player, false);
  CHECK(player.position() == 2);
  playback.advance(0.5, player, false);
  CHECK(player.position() == 5);
  playback.slower();
  playback.advance(1.0, player, false);
  CHECK(player.position() == 5);
  playback.advance(100, player, false);
  CHECK(player.position() == 11);
  CHECK_FALSE(playback.playing);
}

TEST_CASE("A trace that still grows is waited for at its end") {
  Trace trace;
  add_three_steps(trace);
  Player player(trace);
  Playback playback;
  playback.toggle(player, true);
  playback.advance(100, player, true);
  CHECK(player.position() == 11);
  CHECK(playback.playing);
  trace.emit(StepStarted{4});
  playback.advance(0.01, player, true);
  CHECK(player.position() == 12);
}

TEST_CASE("Play at the end starts again from the beginning") {
  Trace trace;
  add_three_steps(trace);
  Player player(trace);
  player.to_end();
  Playback playback;
  playback.toggle(player, false);
  CHECK(playback.playing);
  CHECK(player.position() == 0);
}

TEST_CASE("At full speed each frame shows a stop") {
  Trace trace;
  add_three_steps(trace);
  Player player(trace);
  Playback playback;
  for (int i = 0; i < 10; ++i) playback.faster();
  CHECK(playback.speed == kMaxSpeed);
  playback.playing = true;
  playback.advance(0.001, player, false);
  CHECK(player.position() == 2);
  playback.advance(0.001, player, false);
  CHECK(player.position() == 5);
}

TEST_CASE("Speeds stop at both ends") {
  Playback playback;
  for (int i = 0; i < 10; ++i) playback.slower();
  CHECK(playback.speed == 0.25F);
  playback.faster();
  CHECK(playback.speed == 0.5F);
}

TEST_CASE("In a lesson playing stops after each of its words, a question with its sentence") {
  Trace trace;
  trace.emit(Said{"Look.", {}});            // event 0
  trace.emit(StepStarted{1});               // 1
  trace.emit(Said{"And now?", {}});         // 2
  trace.emit(Asked{"How many?", {}, "2"});  // 3
  trace.emit(StepStarted{2});               // 4
  trace.emit(StepStarted{3});               // 5
  Player player(trace);
  Playback playback;
  playback.playing = true;
  playback.advance(100, player, false);
  CHECK(player.position() == 1);
  CHECK_FALSE(playback.playing);
  playback.playing = true;
  playback.advance(100, player, false);
  CHECK(player.position() == 4);
  CHECK_FALSE(playback.playing);
}
