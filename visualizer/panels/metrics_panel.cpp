#include "visualizer/panels/metrics_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/metrics/metrics_text.h"
#include "core/words/words.h"
#include "visualizer/layout/step_chart.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kTitle = 22, kBetween = 12, kNumbers = 0.42F, kNarrow = 640;

/// One line of a chart. Dashed or not, and with its name beside it: not told apart by colour alone.
struct Series {
  std::string_view name;
  double (*value)(const StepMetrics&);
  Colour colour;
  bool dashed = false;
};

struct Chart {
  std::string_view id, title;
  bool percent = false;
  std::vector<Series> series;
};

std::vector<Chart> charts(const Theme& theme) {
  return {{"chart_hits",
           "Prefix cache",
           true,
           {{"hit rate", [](const StepMetrics& at) { return hit_rate(at.prefix); }, theme.accent}}},
          {"chart_memory",
           "The pool",
           true,
           {{"held", block_utilisation, theme.accent}, {"empty of that", fragmentation, theme.warning, true}}},
          {"chart_requests",
           "Requests",
           false,
           {{"running", [](const StepMetrics& at) { return static_cast<double>(at.running); }, theme.accent},
            {"waiting", [](const StepMetrics& at) { return static_cast<double>(at.waiting + at.preempted); },
             theme.warning, true}}}};
}

std::string shown(const Chart& chart, double value) {
  return chart.percent ? fmt::format("{:.0f} %", 100 * value) : fmt::format("{:.0f}", value);
}

void draw_line(Painter& painter, const std::vector<layout::Point>& points, const Series& series) {
  const float dash = painter.px(5);
  float left = dash;  // of this dash, or of this gap
  bool gap = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const layout::Point from = points[i - 1], to = points[i];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (!series.dashed) painter.line(from, to, series.colour, 2);
    for (float at = 0; series.dashed && at < length;) {
      const float end = std::min(length, at + left);
      const auto along = [&](float part) {
        return layout::Point{from.x + (to.x - from.x) * part / length, from.y + (to.y - from.y) * part / length};
      };
      if (!gap) painter.line(along(at), along(end), series.colour, 2);
      left -= end - at;
      at = end;
      if (left > 0) continue;
      left = dash;
      gap = !gap;
    }
  }
}

/// "held 48 %  empty 4 %": the values at the moment, each after a piece of its line.
std::string draw_values(Painter& painter, Rect line, const Chart& chart, const StepMetrics& now) {
  std::string told;
  for (const Series& series : chart.series) {
    const float y = line.y + line.height / 2;
    const float end = line.x + painter.px(18);
    if (series.dashed) {
      painter.line({line.x, y}, {line.x + painter.px(7), y}, series.colour, 2);
      painter.line({line.x + painter.px(11), y}, {end, y}, series.colour, 2);
    } else {
      painter.line({line.x, y}, {end, y}, series.colour, 2);
    }
    layout::cut_left(line, painter.px(24));
    const std::string words = fmt::format("{} {}", tr(series.name), shown(chart, series.value(now)));
    layout::cut_left(line, painter.text(line, words, painter.theme().text, FontRole::small) + painter.px(18));
    told += (told.empty() ? "" : ", ") + words;
  }
  return told;
}

void draw_chart(PanelContext& context, Painter& painter, const MetricsPanelState& state, const Chart& chart,
                unsigned canvas, Rect area) {
  const Theme& theme = context.ui.theme();
  const Rect whole = area;
  Rect head = layout::cut_top(area, context.px(kTitle));
  const StepMetrics& now = state.summary.now;
  Rect values = layout::cut_right(head, std::min(head.width * 0.7F, context.px(230)));
  painter.text(head, tr(chart.title), theme.text, FontRole::small);
  const std::string told = draw_values(painter, values, chart, now);
  context.ui.registry.add_rect(chart.id, "chart", tr(chart.title), told, canvas, screen_rect(whole));

  std::vector<std::vector<double>> lines;
  double top = 1;
  for (const Series& series : chart.series) {
    std::vector<double>& line = lines.emplace_back();
    for (const StepMetrics& at : state.log.steps()) line.push_back(series.value(at));
    top = std::max(top, *std::max_element(line.begin(), line.end()));
  }
  layout::cut_left(area, context.px(34));
  painter.fill(area, theme.background, 3);
  const Rect axis{area.x - context.px(36), area.y - context.px(3), context.px(32), context.px(14)};
  painter.text(axis, shown(chart, top), theme.dim, FontRole::small, Align::right);
  painter.text({axis.x, area.bottom() - context.px(12), axis.width, axis.height}, "0", theme.dim, FontRole::small,
               Align::right);
  const Rect inside = area.inset(context.px(3));
  painter.line({area.x, inside.y}, {area.right(), inside.y}, theme.grid);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    draw_line(painter, layout::step_line(lines[i], top, inside), chart.series[i]);
  }
  const float x = layout::step_x(now.step, state.log.steps().size(), inside);
  painter.line({x, area.y}, {x, area.bottom()}, theme.text, 1.5F);
}

/// A press on a chart travels there.
void travel(PanelContext& context, const MetricsPanelState& state, const Canvas& canvas, const Rect& area) {
  if (!canvas.held || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const std::size_t steps = state.log.steps().size();
  const float left = area.x + context.px(37), width = area.width - context.px(40);
  const float share = std::clamp((mouse().x - left) / std::max(1.0F, width), 0.0F, 1.0F);
  const auto step = std::min(steps - 1, static_cast<std::size_t>(share * static_cast<float>(steps)));
  const Trace& trace = context.scene.trace();
  context.actions.jump(step >= trace.num_steps() ? trace.size() : trace.start_of_step(step + 1));
}

void draw_charts(PanelContext& context, const MetricsPanelState& state, float width, float height) {
  const Canvas canvas = kvarium::ui::canvas(context.ui, "metrics_canvas", {width, height});
  Painter painter(*canvas.list, context.ui);
  Rect rest = layout_rect(canvas);
  travel(context, state, canvas, rest);
  const std::vector<Chart> all = charts(context.ui.theme());
  const float gap = context.px(kBetween);
  const float each = (rest.height - gap * static_cast<float>(all.size() - 1)) / static_cast<float>(all.size());
  for (const Chart& chart : all) {
    draw_chart(context, painter, state, chart, canvas.id, layout::cut_top(rest, each));
    layout::cut_top(rest, gap);
  }
}

void draw_numbers(PanelContext& context, const MetricsPanelState& state) {
  ImGui::BeginChild("metrics_numbers");
  const auto copy = [&](std::string_view id, std::string_view caption, std::string_view help, auto make) {
    if (button(context.ui, id, caption, {.tooltip = help})) context.actions.copy(make());
  };
  const World& world = context.scene.world();
  copy("copy_metrics", "Copy", "Copy this text", [&] { return state.text; });
  ImGui::SameLine();
  copy("copy_prometheus", "Prometheus", "Copy what a metrics endpoint would say, in vLLM's names",
       [&] { return prometheus_text(state.summary, state.log, world); });
  copy("copy_steps", "CSV: steps", "Copy a row a step", [&] { return steps_csv(state.log, world.step); });
  ImGui::SameLine();
  copy("copy_requests", "CSV: requests", "Copy a row a request", [&] { return requests_csv(state.summary); });
  ImGui::Spacing();
  std::size_t number = 0;
  for (std::size_t at = 0; at < state.text.size(); ++number) {
    const std::size_t end = state.text.find('\n', at);
    wrapped_text(context.ui, "metrics/" + std::to_string(number), state.text.substr(at, end - at));
    at = end + 1;
  }
  ImGui::EndChild();
}

}  // namespace

void follow(MetricsPanelState& state, const Trace& trace, const Player& player) {
  if (state.events == trace.size() && state.position == player.position()) return;
  state.log.follow(trace);
  state.summary = summarise(trace, player.world(), state.log);
  state.text = metrics_text(state.summary);
  state.events = trace.size();
  state.position = player.position();
}

void draw_metrics_panel(PanelContext& context, MetricsPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "metrics", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  if (context.scene.trace().empty()) {
    return empty_state(context, "metrics_empty", "A run in numbers, once there is one: press Run.");
  }
  follow(state, context.scene.trace(), context.scene.player);
  const Rect room = room_left();
  if (room.width < context.px(kNarrow)) {
    draw_charts(context, state, room.width, room.height * (1 - kNumbers));
  } else {
    draw_charts(context, state, room.width * (1 - kNumbers) - context.px(kBetween), room.height);
    ImGui::SameLine(0, context.px(kBetween));
  }
  draw_numbers(context, state);
}

std::string metrics_file(const MetricsPanelState& state, const World& world, const std::string& path) {
  const auto ends_with = [&path](std::string_view end) {
    return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_with(".requests.csv")) return requests_csv(state.summary);
  if (ends_with(".csv")) return steps_csv(state.log, world.step);
  if (ends_with(".prom")) return prometheus_text(state.summary, state.log, world);
  return state.text;
}

}  // namespace kvarium::ui
