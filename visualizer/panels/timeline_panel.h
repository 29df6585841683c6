#pragma once
// The whole run at a glance: what each request was doing, who held how much memory, and where the picture is now.

#include "visualizer/layout/time_axis.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct TimelinePanelState {
  layout::TimeAxis axis;
  bool zoomed = false;                           ///< false: the whole run is always shown, however it grows
  std::size_t first_lane = 0;                    ///< scrolled down by so many requests
  std::uint64_t peak = 0;                        ///< the most slots held at the end of a step...
  std::uint32_t peak_end = 0;                    ///< ...of steps [0, peak_end)
  void pan(double share, const Trace& trace);    ///< by a share of what is visible
  void zoom(double factor, const Trace& trace);  ///< around the middle
  void fit() { zoomed = false; }
};

void draw_timeline_panel(PanelContext& context, TimelinePanelState& state, const layout::Rect& dock);

/// The parts of the panel, also for drawing.
struct TimelineParts {
  layout::Rect labels, lanes, memory_label, memory, scrubber;
};
/// Height of a lane in pixels, and how many lanes the panel has room for.
struct LaneRoom {
  float height = 0;
  std::size_t fit = 1;
};
LaneRoom lane_room(const PanelContext& context, const TimelineParts& parts);
void draw_lanes(PanelContext& context, Painter& painter, const TimelinePanelState& state, const TimelineParts& parts);
void draw_memory(PanelContext& context, Painter& painter, const TimelinePanelState& state, const TimelineParts& parts);
void draw_scrubber(PanelContext& context, Painter& painter, const TimelinePanelState& state,
                   const TimelineParts& parts);

}  // namespace kvarium::ui
