#include "visualizer/panels/timeline_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

constexpr float kLabels = 84, kScrubber = 40, kGap = 8, kMemoryShare = 0.42F;

TimelineParts divide(const PanelContext& context, layout::Rect rest) {
  TimelineParts parts;
  parts.labels = layout::cut_left(rest, context.px(kLabels));
  layout::cut_right(rest, context.px(8));
  parts.scrubber = layout::cut_bottom(rest, context.px(kScrubber));
  layout::cut_bottom(rest, context.px(kGap));
  parts.memory = layout::cut_bottom(rest, rest.height * kMemoryShare);
  layout::cut_bottom(rest, context.px(kGap));
  parts.lanes = rest;
  parts.memory_label = {parts.labels.x, parts.memory.y, parts.labels.width, parts.memory.height};
  parts.labels.height = rest.height;
  return parts;
}

/// Wheel zooms at the pointer (over the letters: scrolls the lanes), right drag pans, left press and drag travel.
void interact(PanelContext& context, TimelinePanelState& state, const Canvas& canvas, const TimelineParts& parts) {
  const Trace& trace = context.scene.trace();
  const double end = layout::end_of(trace);
  const ImGuiIO& io = ImGui::GetIO();
  const layout::Point at = mouse();
  if (canvas.hovered && io.MouseWheel != 0 && at.x >= parts.lanes.x) {
    state.zoomed = true;
    state.axis.zoom(io.MouseWheel > 0 ? 0.8 : 1.25, at.x, end);
  }
  if (canvas.hovered && io.MouseWheel != 0 && at.x < parts.lanes.x) {
    const std::size_t requests = context.scene.timeline.num_requests(), fit = lane_room(context, parts).fit;
    if (io.MouseWheel < 0) state.first_lane = std::min(state.first_lane + 1, requests - std::min(requests, fit));
    if (io.MouseWheel > 0 && state.first_lane > 0) --state.first_lane;
  }
  if (canvas.held && ImGui::IsMouseDragging(ImGuiMouseButton_Right, 0)) {
    state.zoomed = true;
    state.axis.pan(state.axis.time_at(at.x - io.MouseDelta.x) - state.axis.time_at(at.x), end);
  }
  const bool travels =
      canvas.held && ImGui::IsMouseDown(ImGuiMouseButton_Left) && at.x >= parts.lanes.x - context.px(4);
  if (travels) context.actions.jump(layout::position_at(trace, state.axis.time_at(at.x)));
}

/// What the marks mean, beside the word "time".
void explain_marks(PanelContext& context, const Canvas& canvas, const TimelineParts& parts) {
  const layout::Rect word{parts.labels.x, parts.scrubber.y, parts.labels.width, parts.scrubber.height};
  if (!canvas.hovered || !word.contains(mouse())) return;
  const std::string words(
      tr("circle: a block is taken\nring: a block is shared, or found in the cache\nsquare: a block is given back\n"
         "diamond: a block is copied before a write\ntriangle down: something cached is evicted\n"
         "triangle left: tokens are taken back\nred bar: a request is preempted"));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(words.c_str());
  context.ui.registry.add_last_item("mark_meanings", words, "tooltip", {});
  ImGui::EndTooltip();
}

void draw_playhead(PanelContext& context, Painter& painter, const TimelinePanelState& state,
                   const TimelineParts& parts) {
  const double now = layout::time_of(context.scene.trace(), context.scene.player.position());
  const float x = state.axis.x_of(now);
  context.ui.registry.add_rect("playhead", "marker", "playhead", std::to_string(context.scene.player.position()), 0,
                               {x - 2, parts.lanes.y, x + 2, parts.scrubber.bottom()});
  if (x < parts.lanes.x - 1 || x > parts.lanes.right() + 1) return;
  painter.line({x, parts.lanes.y}, {x, parts.scrubber.bottom() - context.px(16)}, context.ui.theme().text, 1.5F);
  painter.circle({x, parts.scrubber.y + context.px(9)}, 6, context.ui.theme().accent);
  painter.circle({x, parts.scrubber.y + context.px(9)}, 2.5F, context.ui.theme().on_accent);
}

}  // namespace

void TimelinePanelState::pan(double share, const Trace& trace) {
  zoomed = true;
  axis.pan(share * (axis.last - axis.first), layout::end_of(trace));
}

void TimelinePanelState::zoom(double factor, const Trace& trace) {
  zoomed = true;
  axis.zoom(factor, axis.x + axis.width / 2, layout::end_of(trace));
}

void draw_timeline_panel(PanelContext& context, TimelinePanelState& state, const layout::Rect& dock) {
  Panel panel(context, "timeline", "", dock, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!panel.visible()) return;
  if (context.scene.trace().empty()) {
    return empty_state(context, "timeline_empty", "The run is drawn here, step by step, once there is one: press Run.");
  }
  const layout::Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "timeline_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  const TimelineParts parts = divide(context, layout_rect(canvas));
  state.axis.x = parts.lanes.x;
  state.axis.width = std::max(1.0F, parts.lanes.width);
  if (!state.zoomed) state.axis.fit(layout::end_of(context.scene.trace()));
  interact(context, state, canvas, parts);
  const Timeline& timeline = context.scene.timeline;
  for (state.peak_end = std::min(state.peak_end, timeline.last_step()); state.peak_end <= timeline.last_step();
       ++state.peak_end) {
    state.peak = std::max(state.peak, timeline.held_slots(state.peak_end));
  }
  draw_lanes(context, painter, state, parts);
  draw_memory(context, painter, state, parts);
  draw_scrubber(context, painter, state, parts);
  draw_playhead(context, painter, state, parts);
  explain_marks(context, canvas, parts);
  context.ui.registry.add_rect("lane_labels", "list", "lanes", std::to_string(state.first_lane), canvas.id,
                               screen_rect(parts.labels));
  context.ui.registry.add_rect("scrubber", "slider", "scrubber", std::to_string(context.scene.player.position()),
                               canvas.id, screen_rect(parts.scrubber));
}

}  // namespace kvarium::ui
