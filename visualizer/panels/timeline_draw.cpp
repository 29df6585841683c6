// The three charts of the timeline: lanes, memory, scrubber.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "visualizer/draw/cell.h"
#include "visualizer/panels/timeline_panel.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kLargestLane = 30, kSmallestLane = 10;

std::string_view name_of(LaneState state) {
  switch (state) {
    case LaneState::waiting:
      return tr("waiting");
    case LaneState::prefill:
      return tr("prefill");
    case LaneState::decode:
      return tr("decode");
    case LaneState::preempted:
      return tr("preempted");
    case LaneState::swapped:
      return tr("swapped out");
  }
  return "";
}

/// `indent`: pixels before the words.
void draw_segment(Painter& painter, const Rect& bar, LaneState state, RequestId id, float indent) {
  const OwnerColours colours = painter.theme().owner(value(id));
  const bool works = state == LaneState::prefill || state == LaneState::decode;
  if (works) {
    painter.fill(bar, colours.fill, 2);
    if (state == LaneState::prefill) painter.hatch(bar, with_alpha(colours.text, 0.35F), 7);
  } else {
    painter.fill(bar, with_alpha(colours.fill, 0.12F), 2);
    painter.dashed(bar, with_alpha(colours.fill, 0.9F), 3, 3);
  }
  const Rect inside{bar.x + indent, bar.y, bar.width - indent - painter.px(5), bar.height};
  painter.text_if_fits(inside, name_of(state), works ? colours.text : painter.theme().text, FontRole::small,
                       Align::left);
}

void draw_lane(PanelContext& context, Painter& painter, const TimelinePanelState& state, const Rect& lane,
               RequestId id) {
  const std::vector<LaneSegment> segments = context.scene.timeline.lane(id);
  const auto [first, last] = layout::visible(
      segments, state.axis, [](const LaneSegment& s) { return static_cast<double>(s.first_step); },
      [](const LaneSegment& s) { return static_cast<double>(s.end_step); });
  const auto fork = context.scene.timeline.fork(id);  // in the middle of a step
  const float start = fork ? state.axis.x_of(layout::time_of(context.scene.trace(), fork->event)) : lane.x;
  for (std::size_t i = first; i < last; ++i) {
    const float from = std::max({lane.x, start, state.axis.x_of(segments[i].first_step)});
    const float to = std::min(lane.right(), state.axis.x_of(segments[i].end_step));
    const Rect bar{from, lane.y, std::max(painter.px(1), to - from - 1), lane.height};
    draw_segment(painter, bar, segments[i].state, id, painter.px(fork && i == 0 ? 10 : 5));
  }
}

void draw_diamond(Painter& painter, layout::Point at, float r, Colour colour) {
  painter.triangle({at.x - r, at.y}, {at.x, at.y - r}, {at.x + r, at.y}, colour);
  painter.triangle({at.x - r, at.y}, {at.x + r, at.y}, {at.x, at.y + r}, colour);
}

/// Marks of one kind that would lie on top of each other are drawn once.
void draw_mark(Painter& painter, float x, const Rect& track, Mark mark) {
  const Theme& theme = painter.theme();
  const float y = track.y + painter.px(9), r = painter.px(3);
  switch (mark) {
    case Mark::allocated:
      painter.circle({x, y}, 3, theme.good);
      break;
    case Mark::released:
      painter.fill({x - r, y - r, 2 * r, 2 * r}, theme.dim);
      break;
    case Mark::shared:
      painter.ring({x, y}, 3, theme.accent, 1.5F);
      break;
    case Mark::copied:
      draw_diamond(painter, {x, y}, painter.px(4.5F), theme.text);
      break;
    case Mark::evicted:
      painter.triangle({x - 1.3F * r, y - r}, {x + 1.3F * r, y - r}, {x, y + 1.3F * r}, theme.warning);
      break;
    case Mark::preempted:
      painter.fill({x - painter.px(1), track.y, painter.px(2), painter.px(18)}, theme.bad);
      break;
    case Mark::rolled_back:
      painter.triangle({x + r, y - r}, {x + r, y + r}, {x - r, y}, theme.warning);
      break;
    case Mark::said:
    case Mark::asked:
      painter.fill({x - painter.px(1), y - painter.px(5), painter.px(2), painter.px(10)}, theme.accent);
      break;
    default:
      break;
  }
}

/// Where the lanes that fit are.
struct Lanes {
  Rect area;
  std::size_t first = 0, end = 0;
  float height = 0;

  bool shows(RequestId id) const { return index(id) >= first && index(id) < end; }
  Rect of(std::size_t request) const {
    return {area.x, area.y + static_cast<float>(request - first) * height + 1, area.width, height - 2};
  }
};

/// What happened to a request, on its lane: a bar where it was preempted, a diamond where a block was copied for it.
void draw_lane_marks(PanelContext& context, Painter& painter, const TimelinePanelState& state, const Lanes& lanes) {
  const Theme& theme = painter.theme();
  const auto first_step = static_cast<std::uint32_t>(std::max(0.0, std::floor(state.axis.first)));
  const auto end_step = static_cast<std::uint32_t>(std::ceil(state.axis.last)) + 1;
  for (const TimelineMark& mark : context.scene.timeline.marks_of_steps(first_step, end_step)) {
    if ((mark.mark != Mark::preempted && mark.mark != Mark::copied) || !lanes.shows(mark.request)) continue;
    const float x = state.axis.x_of(layout::time_of(context.scene.trace(), mark.event));
    if (x < lanes.area.x || x > lanes.area.right()) continue;
    const Rect lane = lanes.of(index(mark.request));
    if (mark.mark == Mark::preempted) {
      painter.fill({x - painter.px(2.5F), lane.y, painter.px(5), lane.height}, theme.panel);
      painter.fill({x - painter.px(1.5F), lane.y, painter.px(3), lane.height}, theme.bad);
    } else {
      const layout::Point at{x, lane.centre().y};
      draw_diamond(painter, at, std::min(lane.height / 2, painter.px(6)), theme.panel);
      draw_diamond(painter, at, std::min(lane.height / 2, painter.px(6)) - painter.px(1.5F), theme.text);
    }
  }
}

/// What the request does in the step that is shown, in the words of the chart.
std::string state_now(const PanelContext& context, RequestId id) {
  const std::uint64_t step = context.scene.world().step;
  for (const LaneSegment& segment : context.scene.timeline.lane(id))
    if (segment.first_step <= step && step < segment.end_step) return std::string(name_of(segment.state));
  return {};
}

/// From the parent's lane to the lane that begins there.
void draw_fork(PanelContext& context, Painter& painter, const TimelinePanelState& state, const Lanes& lanes,
               RequestId id) {
  const auto fork = context.scene.timeline.fork(id);
  if (!fork || (!lanes.shows(fork->parent) && !lanes.shows(id))) return;
  const float x = state.axis.x_of(layout::time_of(context.scene.trace(), fork->event));
  if (x < lanes.area.x || x > lanes.area.right()) return;
  const auto y_of = [&](RequestId request) {
    if (lanes.shows(request)) return lanes.of(index(request)).centre().y;
    return index(request) < lanes.first ? lanes.area.y : lanes.area.bottom();
  };
  const Colour ink = painter.theme().text;
  const float from = y_of(fork->parent), to = y_of(id);
  painter.line({x, from}, {x, to}, painter.theme().panel, 4);
  painter.line({x, from}, {x, to}, ink, 1.5F);
  painter.circle({x, from}, 3.5F, ink);
  const float r = painter.px(4);
  painter.triangle({x - r, to - r}, {x + r, to - r}, {x, to + r}, ink);
  context.ui.registry.add_rect("fork:" + letter(id), "mark", letter(id), letter(fork->parent), 0,
                               {x - r, std::min(from, to), x + r, std::max(from, to)});
}

void draw_ticks(Painter& painter, const TimelinePanelState& state, const Rect& track) {
  const Theme& theme = painter.theme();
  const double distance = layout::label_distance(state.axis, painter.px(46));
  for (double step = std::ceil(state.axis.first / distance) * distance; step <= state.axis.last; step += distance) {
    const float x = state.axis.x_of(step + 0.5);  // step n takes the time from n to n + 1
    painter.line({x, track.y + painter.px(18)}, {x, track.y + painter.px(23)}, theme.outline);
    const Rect label{x - painter.px(24), track.bottom() - painter.px(16), painter.px(48), painter.px(14)};
    if (label.right() <= track.right() + painter.px(20))
      painter.text(label, fmt::format("{:.0f}", step), theme.dim, FontRole::small, Align::centre);
  }
}

}  // namespace

LaneRoom lane_room(const PanelContext& context, const TimelineParts& parts) {
  const auto requests = static_cast<float>(std::max<std::size_t>(1, context.scene.timeline.num_requests()));
  const float even = parts.lanes.height / requests;
  const float height = std::floor(std::clamp(even, context.px(kSmallestLane), context.px(kLargestLane)));
  return {height, std::max<std::size_t>(1, static_cast<std::size_t>(parts.lanes.height / height))};
}

void draw_lanes(PanelContext& context, Painter& painter, const TimelinePanelState& state, const TimelineParts& parts) {
  const std::size_t requests = context.scene.timeline.num_requests();
  const Theme& theme = painter.theme();
  painter.fill(parts.lanes, theme.background, 3);
  if (requests == 0) return;
  const auto [height, fit] = lane_room(context, parts);
  const std::size_t first = requests > fit ? std::min(state.first_lane, requests - fit) : 0;
  const Lanes lanes{parts.lanes, first, std::min(requests, first + fit), height};
  for (std::size_t i = lanes.first; i < lanes.end; ++i) {
    const RequestId id{static_cast<std::uint32_t>(i)};
    const Rect lane = lanes.of(i), chip{parts.labels.right() - context.px(30), lane.y, context.px(22), lane.height};
    if (height >= context.px(14)) draw_letter(painter, chip, id);
    draw_lane(context, painter, state, lane, id);
    context.ui.registry.add_rect("lane:" + letter(id), "lane", letter(id), state_now(context, id), 0,
                                 screen_rect(lane));
  }
  for (std::size_t i = lanes.first; i < lanes.end; ++i)
    draw_fork(context, painter, state, lanes, RequestId{static_cast<std::uint32_t>(i)});
  draw_lane_marks(context, painter, state, lanes);
  const Rect label{parts.labels.x, parts.labels.y, context.px(52), context.px(16)};
  painter.text(label, tr("requests"), theme.dim, FontRole::small);
  if (requests > fit) {
    const Rect more{label.x, label.bottom(), label.width, label.height};
    painter.text(more, tr_format("{} more", requests - fit), theme.dim, FontRole::small);
  }
}

void draw_memory(PanelContext& context, Painter& painter, const TimelinePanelState& state, const TimelineParts& parts) {
  const World& newest = context.scene.trace().newest();
  const std::uint64_t pool = static_cast<std::uint64_t>(newest.blocks.size()) * newest.block_size;
  const std::uint64_t capacity = std::max(pool, newest.arena_slots);
  const Theme& theme = painter.theme();
  const Rect& area = parts.memory;
  painter.fill(area, theme.background, 3);
  const Rect label{parts.memory_label.x, area.y, parts.memory_label.width - context.px(8), context.px(16)};
  painter.text(label, tr("memory held"), theme.dim, FontRole::small);
  if (capacity == 0) return;
  // A pool that is nearly empty would show a flat line: then the chart ends a little above the peak.
  const bool nearly_empty = state.peak * 8 < capacity;
  const double top =
      nearly_empty ? std::max(1.0, static_cast<double>(state.peak) * 1.3) : static_cast<double>(capacity);
  painter.text({label.x, label.bottom(), label.width, label.height}, tr_format("peak {}", state.peak), theme.dim,
               FontRole::small);
  if (area.height >= 3 * label.height)
    painter.text({label.x, label.bottom() + label.height, label.width, label.height},
                 tr_format("of {} slots", capacity), theme.dim, FontRole::small);
  const auto last =
      std::min<double>(std::ceil(state.axis.last), static_cast<double>(context.scene.timeline.last_step()) + 1);
  const double stride = std::max(
      1.0, std::floor((state.axis.last - state.axis.first) / std::max(1.0, static_cast<double>(area.width) / 2)));
  for (double at = std::floor(state.axis.first); at < last; at += stride) {
    const auto step = static_cast<std::uint32_t>(at);
    const float from = std::max(area.x, state.axis.x_of(at)), to = std::min(area.right(), state.axis.x_of(at + stride));
    float bottom = area.bottom();
    // Each request's part of what is held: a shared block belongs to all who share it, and is there once.
    const std::vector<RequestId> holders = context.scene.timeline.holders(step);
    double entries = 0;
    for (const RequestId id : holders) entries += static_cast<double>(context.scene.timeline.held(id, step).slots);
    const double held = static_cast<double>(context.scene.timeline.held_slots(step));
    for (const RequestId id : holders) {
      const double slots = static_cast<double>(context.scene.timeline.held(id, step).slots) * held / entries;
      const float height = area.height * static_cast<float>(slots / top);
      painter.fill({from, bottom - height, std::max(1.0F, to - from - (stride > 1 ? 0 : 1)), height},
                   theme.owner(value(id)).fill);
      bottom -= height;
    }
  }
}

void draw_scrubber(PanelContext& context, Painter& painter, const TimelinePanelState& state,
                   const TimelineParts& parts) {
  const Theme& theme = painter.theme();
  const Rect& track = parts.scrubber;
  painter.text({parts.labels.x, track.y + context.px(1), parts.labels.width, context.px(16)}, tr("time (steps)"),
               theme.dim, FontRole::small);
  painter.fill({track.x, track.y + context.px(7), track.width, context.px(4)}, theme.line, 2);
  const float now = state.axis.x_of(layout::time_of(context.scene.trace(), context.scene.player.position()));
  painter.fill({track.x, track.y + context.px(7), std::clamp(now - track.x, 0.0F, track.width), context.px(4)},
               with_alpha(theme.accent, 0.6F), 2);
  draw_ticks(painter, state, track);
  const auto first_step = static_cast<std::uint32_t>(std::max(0.0, std::floor(state.axis.first)));
  const auto end_step = static_cast<std::uint32_t>(std::ceil(state.axis.last)) + 1;
  float last_x[16] = {};
  std::fill(std::begin(last_x), std::end(last_x), -1e9F);
  for (const TimelineMark& mark : context.scene.timeline.marks_of_steps(first_step, end_step)) {
    const float x = state.axis.x_of(layout::time_of(context.scene.trace(), mark.event));
    float& last = last_x[static_cast<std::size_t>(mark.mark)];
    if (x < track.x || x > track.right() || x - last < context.px(4)) continue;
    last = x;
    draw_mark(painter, x, track, mark.mark);
  }
}

}  // namespace kvarium::ui
