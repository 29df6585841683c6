#include "tests/support/catch.h"
#include "visualizer/layout/frame_layout.h"

using namespace kvarium::ui::layout;

namespace {

std::vector<Rect> docks(const FrameLayout& f) {
  return {f.menu, f.transport, f.scenario, f.requests, f.tabs, f.centre, f.guide, f.inspector, f.timeline, f.status};
}

float area(const Rect& r) { return r.width * r.height; }

}  // namespace

TEST_CASE("At 1440 x 900 the docks tile the window without gap or overlap") {
  const FrameLayout frame = frame_layout(1440, 900, 1, {}, false);
  CHECK_FALSE(frame.right_is_drawer);
  CHECK(frame.scenario.width == 280);
  CHECK(frame.guide.width == 360);
  CHECK(frame.centre.width == 800);
  CHECK(frame.timeline.height == 212);
  float sum = 0;
  const std::vector<Rect> all = docks(frame);
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += area(all[i]);
    for (std::size_t j = i + 1; j < all.size(); ++j) CHECK_FALSE(overlap(all[i], all[j]));
  }
  CHECK(sum == kvarium_test::Approx(1440.0 * 900.0));
}

TEST_CASE("In a narrow window the right dock is a drawer that takes the left dock's room, and covers nothing") {
  const FrameLayout closed = frame_layout(1024, 700, 1, {}, false);
  CHECK(closed.right_is_drawer);
  CHECK_FALSE(closed.right_shown);
  CHECK(closed.inspector.empty());
  CHECK(closed.centre.width == 1024 - 280);
  const FrameLayout open = frame_layout(1024, 700, 1, {}, true);
  CHECK_FALSE(open.left_shown);
  CHECK(open.centre.width == 1024 - 360);
  CHECK(open.inspector.right() == 1024);
  CHECK_FALSE(overlap(open.inspector, open.centre));
}

TEST_CASE("Scale 2 doubles every dock, and counts against the width that needs a drawer") {
  const FrameLayout one = frame_layout(1440, 900, 1, {}, false), two = frame_layout(2880, 1800, 2, {}, false);
  CHECK(two.centre == one.centre.scaled(2));
  CHECK(two.status == one.status.scaled(2));
  CHECK(frame_layout(1440, 900, 2, {}, false).right_is_drawer);
}

TEST_CASE("Docks that were made too large give way to the centre") {
  DockSizes greedy;
  greedy.left = 5000;
  greedy.right = 5000;
  greedy.timeline = 5000;
  const FrameLayout frame = frame_layout(1440, 900, 1, greedy, false);
  CHECK(frame.centre.width >= 359);
  CHECK(frame.centre.height + frame.tabs.height >= 239);
  for (const Rect& dock : docks(frame)) CHECK(dock.right() <= 1440.5F);
}

TEST_CASE("A window of almost no size has no negative dock") {
  for (const float side : {0.0F, 1.0F, 50.0F, 200.0F}) {
    for (const Rect& dock : docks(frame_layout(side, side, 1, {}, true))) {
      CHECK(dock.width >= 0);
      CHECK(dock.height >= 0);
    }
  }
}
