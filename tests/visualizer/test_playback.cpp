#include "tests/support/catch.h"
#include "visualizer/app/playback.h"

using namespace kvarium;
using namespace kvarium::ui;

namespace {

/// Events 0, 1: set-up and arrival; three steps of three events each, from event 2 on.
Stops three_steps() {
  Stops stops;
  stops.append(PoolCreated{4, {}});
  stops.append(RequestArrived{});
  for (std::uint64_t step = 1; step <= 3; ++step) {
    stops.append(StepStarted{step});
    stops.append(BlockAllocated{});
    stops.append(TokenSampled{});
  }
  return stops;
}

}  // namespace

TEST_CASE("Each granularity has its own stops") {
  const Stops stops = three_steps();
  CHECK(stops.events() == 11);
  CHECK(stops.next(0, Granularity::micro) == 1);
  CHECK(stops.next(0, Granularity::step) == 2);
  CHECK(stops.next(2, Granularity::step) == 5);
  CHECK(stops.next(8, Granularity::step) == 11);
  CHECK(stops.next(11, Granularity::step) == 11);
  CHECK(stops.previous(11, Granularity::step) == 8);
  CHECK(stops.previous(2, Granularity::step) == 0);
  CHECK(stops.next(0, Granularity::request) == 2);
  CHECK(stops.previous(11, Granularity::request) == 2);
  CHECK(stops.next_mark(2) == 4);
  CHECK(stops.previous_mark(2) == 0);
  CHECK(stops.end_of_step(0) == 2);
  CHECK(stops.end_of_step(1) == 5);
  CHECK(stops.end_of_step(99) == 11);
}

TEST_CASE("Stepping forward to the end and back visits the same moments") {
  const Stops stops = three_steps();
  for (const Granularity granularity : {Granularity::micro, Granularity::step, Granularity::request}) {
    Playback playback;
    playback.granularity = granularity;
    std::vector<std::uint64_t> there{0}, back;
    while (playback.position() < stops.events()) {
      playback.step_forward(stops);
      there.push_back(playback.position());
    }
    back.push_back(playback.position());
    while (playback.position() > 0) {
      playback.step_back(stops);
      back.push_back(playback.position());
    }
    std::reverse(back.begin(), back.end());
    CHECK(there == back);
  }
}

TEST_CASE("Playing waits between stops, longer at a slower speed, and pauses at the end") {
  const Stops stops = three_steps();
  Playback playback;
  playback.toggle(stops, false);
  playback.advance(0.0, stops, false);
  CHECK(playback.position() == 2);  // a press is answered at once
  playback.advance(0.5, stops, false);
  CHECK(playback.position() == 2);
  playback.advance(0.5, stops, false);
  CHECK(playback.position() == 5);
  playback.slower();
  playback.advance(1.0, stops, false);
  CHECK(playback.position() == 5);
  playback.advance(100, stops, false);
  CHECK(playback.position() == 11);
  CHECK_FALSE(playback.playing);
}

TEST_CASE("A trace that still grows is waited for at its end") {
  Stops stops = three_steps();
  Playback playback;
  playback.toggle(stops, true);
  playback.advance(100, stops, true);
  CHECK(playback.position() == 11);
  CHECK(playback.playing);
  stops.append(StepStarted{4});
  playback.advance(0.01, stops, true);
  CHECK(playback.position() == 12);
}

TEST_CASE("Play at the end starts again from the beginning") {
  const Stops stops = three_steps();
  Playback playback;
  playback.jump(stops.events(), stops);
  playback.toggle(stops, false);
  CHECK(playback.playing);
  CHECK(playback.position() == 0);
}

TEST_CASE("At full speed each frame shows a stop") {
  const Stops stops = three_steps();
  Playback playback;
  for (int i = 0; i < 10; ++i) playback.faster();
  CHECK(playback.speed == kMaxSpeed);
  playback.playing = true;
  playback.advance(0.001, stops, false);
  CHECK(playback.position() == 2);
  playback.advance(0.001, stops, false);
  CHECK(playback.position() == 5);
}

TEST_CASE("A jump pauses and never leaves the trace") {
  const Stops stops = three_steps();
  Playback playback;
  playback.playing = true;
  playback.jump(1000000, stops);
  CHECK(playback.position() == 11);
  CHECK_FALSE(playback.playing);
}

TEST_CASE("In a lesson playing stops after each of its words, a question with its sentence") {
  Stops stops;
  stops.append(Said{"Look.", {}});            // 0
  stops.append(StepStarted{1});               // 1
  stops.append(Said{"And now?", {}});         // 2
  stops.append(Asked{"How many?", {}, "2"});  // 3
  stops.append(StepStarted{2});               // 4
  stops.append(StepStarted{3});               // 5
  CHECK(stops.words() == std::vector<std::uint64_t>{1, 4});
  Playback playback;
  playback.playing = true;
  playback.advance(100, stops, false);
  CHECK(playback.position() == 1);
  CHECK_FALSE(playback.playing);
  playback.playing = true;
  playback.advance(100, stops, false);
  CHECK(playback.position() == 4);
  CHECK_FALSE(playback.playing);
}
