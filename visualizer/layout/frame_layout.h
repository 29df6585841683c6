#pragma once
// Where the docks of the window are.

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// What the splitters move. Lengths in logical pixels (at scale 1), shares of the dock that is split.
struct DockSizes {
  float left = 280, right = 360, timeline = 212;
  float scenario_share = 0.66F;  ///< of the left dock; the requests list gets the rest
  float guide_share = 0.45F;     ///< of the right dock; the inspector gets the rest
  float tables_share = 0.40F;    ///< of the centre below the tabs; the pool map gets the rest
};

constexpr float kMenuHeight = 28, kTransportHeight = 46, kStatusHeight = 24, kTabsHeight = 34;
/// Below this width there is room for one side only: the right dock, opened as a drawer, takes the left one's.
constexpr float kDrawerWidth = 1200;
constexpr float kSplitter = 6;  ///< thickness of the strip that a splitter is grabbed by

/// All rectangles in real pixels. The docks tile the window; splitters lie over their borders.
struct FrameLayout {
  Rect menu, transport, scenario, requests, tabs, centre, guide, inspector, timeline, status;
  Rect left_splitter, right_splitter, timeline_splitter, scenario_splitter, guide_splitter;
  bool right_is_drawer = false;
  bool right_shown = true;
  bool left_shown = true;
};

/// `width` and `height` in real pixels; `scale` is real pixels a logical pixel. Docks that a person made too wide for
/// this window give way: the centre keeps at least 360 x 240 logical pixels while there is room at all.
FrameLayout frame_layout(float width, float height, float scale, const DockSizes& sizes, bool drawer_open);

}  // namespace kvarium::ui::layout
