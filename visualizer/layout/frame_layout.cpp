#include "visualizer/layout/frame_layout.h"

namespace kvarium::ui::layout {
namespace {

constexpr float kMinimumCentreWidth = 360, kMinimumCentreHeight = 240, kMinimumDock = 160, kMinimumTimeline = 96;
constexpr float kMostTimelineShare = 0.236F;  // of the window: on a low one the centre needs the room more

float share_of(float share) { return std::clamp(share, 0.15F, 0.85F); }

/// `wanted`, but no less than `low` and no more than leaves `keep` of `whole`.
float give_way(float wanted, float low, float whole, float keep) {
  return std::clamp(wanted, 0.0F, std::max(std::min(low, whole / 3), whole - keep));
}

Rect strip(const Rect& beside, bool vertical) {
  return vertical ? Rect{beside.right() - kSplitter / 2, beside.y, kSplitter, beside.height}
                  : Rect{beside.x, beside.bottom() - kSplitter / 2, beside.width, kSplitter};
}

void split_left_dock(FrameLayout& frame, Rect& rest, const DockSizes& sizes) {
  const float right = frame.right_is_drawer ? 0 : sizes.right;
  Rect left = cut_left(rest, give_way(sizes.left, kMinimumDock, rest.width, kMinimumCentreWidth + right));
  frame.left_splitter = strip(left, true);
  frame.scenario = cut_top(left, left.height * share_of(sizes.scenario_share));
  frame.scenario_splitter = strip(frame.scenario, false);
  frame.requests = left;
}

void split_right_dock(FrameLayout& frame, Rect dock, const DockSizes& sizes) {
  frame.right_splitter = {dock.x - kSplitter / 2, dock.y, kSplitter, dock.height};
  frame.guide = cut_top(dock, dock.height * share_of(sizes.guide_share));
  frame.guide_splitter = strip(frame.guide, false);
  frame.inspector = dock;
}

}  // namespace

FrameLayout frame_layout(float width, float height, float scale, const DockSizes& sizes, bool drawer_open) {
  Rect rest{0, 0, width / scale, height / scale};
  FrameLayout frame;
  frame.right_is_drawer = rest.width < kDrawerWidth;
  frame.right_shown = !frame.right_is_drawer || drawer_open;

  frame.menu = cut_top(rest, kMenuHeight);
  frame.transport = cut_top(rest, kTransportHeight);
  frame.status = cut_bottom(rest, kStatusHeight);
  const float timeline = std::min(sizes.timeline, kMostTimelineShare * (height / scale));
  frame.timeline = cut_bottom(rest, give_way(timeline, kMinimumTimeline, rest.height, kMinimumCentreHeight));
  frame.timeline_splitter = {rest.x, frame.timeline.y - kSplitter / 2, rest.width, kSplitter};

  frame.left_shown = !(frame.right_is_drawer && drawer_open);
  if (frame.left_shown) split_left_dock(frame, rest, sizes);
  if (frame.right_shown)
    split_right_dock(frame, cut_right(rest, give_way(sizes.right, kMinimumDock, rest.width, kMinimumCentreWidth)),
                     sizes);
  frame.tabs = cut_top(rest, kTabsHeight);
  frame.centre = rest;

  for (Rect* rect :
       {&frame.menu, &frame.transport, &frame.scenario, &frame.requests, &frame.tabs, &frame.centre, &frame.guide,
        &frame.inspector, &frame.timeline, &frame.status, &frame.left_splitter, &frame.right_splitter,
        &frame.timeline_splitter, &frame.scenario_splitter, &frame.guide_splitter}) {
    *rect = rect->scaled(scale);
  }
  return frame;
}

}  // namespace kvarium::ui::layout
