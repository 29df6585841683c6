#include "visualizer/panels/roofline_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/cost/head_kind.h"
#include "core/cost/model_shapes.h"
#include "core/cost/roofline_report.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "visualizer/layout/roofline_chart.h"

namespace kvarium::ui {
namespace {

using layout::Point;
using layout::Rect;

constexpr int kBatchStops[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
constexpr int kContextStops[] = {128, 512, 1024, 4096, 8192, 32768, 131072};
constexpr float kControls = 206, kAxis = 78, kBottom = 36, kDot = 6;  // logical pixels
constexpr double kCatchUp = 9;                                        // how fast a dot nears its place, a second

enum class Shape { triangle, circle, ring };

/// What is drawn as a dot: a row of roofline_rows(), its form and its letter-free name.
struct DotKind {
  std::size_t row;
  Shape shape;
  std::string_view id, name;
};
constexpr DotKind kDots[] = {{2, Shape::triangle, "dot_prefill", "prefill"},
                             {5, Shape::circle, "dot_decode", "decode"},
                             {4, Shape::ring, "dot_attention", "decode, attention alone"}};

ModelShape shape_of(const RooflinePanelState& state) {
  const ModelShape& shape = model_shapes()[static_cast<std::size_t>(state.model)];
  return state.heads == 0 ? shape : with_head_kind(shape, static_cast<HeadKind>(state.heads - 1));
}

RooflineSetup setup_of(const RooflinePanelState& state) {
  const auto type = [](int index) { return element_types()[static_cast<std::size_t>(index)]; };
  return {shape_of(state), static_cast<std::uint64_t>(state.batch), static_cast<std::uint64_t>(state.context),
          type(state.weights), type(state.kv)};
}

const HardwareProfile& hardware_of(RooflinePanelState& state) {
  const auto& known = hardware_profiles();
  const auto index = static_cast<std::size_t>(state.hardware);
  if (index < known.size()) return known[index];
  if (!state.machine) state.hardware = 1;
  return state.machine ? *state.machine : known[1];
}

// --- controls

void draw_machine(PanelContext& context, RooflinePanelState& state) {
  std::vector<std::string> names;
  for (const HardwareProfile& hardware : hardware_profiles()) names.push_back(hardware.name);
  if (state.machine) names.push_back(state.machine->name);
  combo(context.ui, "roofline_hardware", "Processor", state.hardware, names);
  const Look look{.enabled = !state.measuring,
                  .reason = "It is being measured",
                  .tooltip = "Reads memory and multiplies matrices for a second"};
  if (button(context.ui, "roofline_measure", state.measuring ? "Measuring..." : "Measure this machine", look)) {
    context.actions.measure_machine();
  }
}

void draw_controls(PanelContext& context, RooflinePanelState& state) {
  ImGui::BeginChild("roofline_controls", {context.px(kControls), 0});
  std::vector<std::string> models, types;
  for (const ModelShape& shape : model_shapes()) models.push_back(shape.name);
  for (const ElementType type : element_types()) types.emplace_back(name(type));
  combo(context.ui, "roofline_model", "Model", state.model, models);
  const ModelShape& shape = model_shapes()[static_cast<std::size_t>(state.model)];
  const bool groups = can_be_grouped(shape);
  const std::vector<std::string> heads{
      tr_format("as published: {}", head_kind_name(shape)), "MHA",
      groups ? std::string("GQA") : tr_format("GQA: {} heads make no groups", shape.query_heads), "MQA", "MLA"};
  combo(context.ui, "roofline_heads", "Heads", state.heads, heads,
        {.tooltip = "The same model as if its query heads shared K and V in another way"});
  if (!groups && state.heads == 1 + static_cast<int>(HeadKind::grouped)) state.heads = 0;
  slider_stops(context.ui, "roofline_batch", "Sequences in the batch", state.batch, kBatchStops);
  slider_stops(context.ui, "roofline_context", "Tokens of each", state.context, kContextStops);
  combo(context.ui, "roofline_kv", "K and V in", state.kv, types);
  combo(context.ui, "roofline_weights", "Weights in", state.weights, types);
  draw_machine(context, state);
  if (button(context.ui, "roofline_copy", "Copy", {.tooltip = "Copy all of this as text"})) {
    context.actions.copy(roofline_report(setup_of(state), hardware_of(state)));
  }
  ImGui::EndChild();
}

// --- the chart

/// "100 TFLOP/s"
std::string decade_label(int decade) {
  static constexpr std::string_view kSteps[] = {"", "k", "M", "G", "T", "P", "E"};
  static constexpr int kUnits[] = {1, 10, 100};
  const int low = std::clamp(decade, 0, 20);
  return fmt::format("{} {}FLOP/s", kUnits[low % 3], kSteps[low / 3]);
}

void draw_axes(Painter& painter, const layout::RooflineChart& chart) {
  const Theme& theme = painter.theme();
  const Rect& area = chart.area;
  painter.fill(area, theme.background, 3);
  for (int decade = chart.x.low; decade <= chart.x.high; ++decade) {
    const float x = chart.x_of(std::pow(10.0, decade));
    painter.line({x, area.y}, {x, area.bottom()}, theme.grid);
    const std::string number = decade < 0 ? "0.1" : with_commas(static_cast<std::uint64_t>(std::pow(10.0, decade)));
    painter.text({x - painter.px(30), area.bottom() + painter.px(2), painter.px(60), painter.px(16)}, number, theme.dim,
                 FontRole::small, Align::centre);
  }
  painter.text({area.x, area.bottom() + painter.px(18), area.width, painter.px(16)},
               tr("arithmetic intensity: FLOP for each byte that is read ->"), theme.dim, FontRole::small,
               Align::centre);
  for (int decade = chart.y.low; decade <= chart.y.high; ++decade) {
    const float y = chart.y_of(std::pow(10.0, decade));
    painter.line({area.x, y}, {area.right(), y}, theme.grid);
    painter.text({area.x - painter.px(kAxis), y - painter.px(8), painter.px(kAxis - 6), painter.px(16)},
                 decade_label(decade), theme.dim, FontRole::small, Align::right);
  }
}

void draw_roof(Painter& painter, const layout::RooflineChart& chart, const HardwareProfile& hardware) {
  const Theme& theme = painter.theme();
  const auto roof = layout::roof_line(chart, hardware.flops_per_second, hardware.memory.bytes_per_second);
  for (std::size_t i = 1; i < roof.size(); ++i) painter.line(roof[i - 1], roof[i], theme.text, 2.5F);
  const Point ridge = roof[roof.size() - 2];
  const Point foot{ridge.x, chart.area.bottom()};
  const float third = (foot.y - ridge.y) / 3;
  painter.dashed(layout::Curve{ridge, {ridge.x, ridge.y + third}, {ridge.x, foot.y - third}, foot}, theme.dim, 4, 4, 0,
                 1);
  const Rect below{ridge.x + painter.px(8), ridge.y + painter.px(5), chart.area.right() - ridge.x, painter.px(16)};
  painter.text(below, tr_format("{}: {}", hardware.name, in_steps(hardware.flops_per_second, "FLOP/s")), theme.text,
               FontRole::small);
  const Rect base{ridge.x + painter.px(5), chart.area.bottom() - painter.px(18), painter.px(150), painter.px(16)};
  painter.text(base, tr_format("ridge {:.3g} FLOP/B", ridge_point(hardware)), theme.dim, FontRole::small);
  const Rect left{chart.area.x + painter.px(6), chart.area.y + painter.px(4), painter.px(200), painter.px(16)};
  painter.text(left, tr_format("slope: {}", in_steps(hardware.memory.bytes_per_second, "B/s")), theme.text,
               FontRole::small);
}

void draw_mark(Painter& painter, Shape shape, Point at, Colour colour) {
  const float size = painter.px(kDot);
  switch (shape) {
    case Shape::triangle:
      painter.triangle({at.x, at.y - size}, {at.x + size, at.y + size}, {at.x - size, at.y + size}, colour);
      break;
    case Shape::circle:
      painter.circle(at, kDot, colour);
      break;
    case Shape::ring:
      painter.ring(at, kDot, colour, 2.5F);
      break;
  }
}

/// The dot nears its place; in one frame with less motion. True while it is on its way.
bool follow(std::optional<MovingDot>& dot, const RooflineRow& row, bool at_once) {
  const MovingDot goal{std::log10(std::max(row.cost.intensity(), 1e-3)), std::log10(std::max(row.rate, 1.0))};
  const auto part = static_cast<float>(std::min(1.0, kCatchUp * static_cast<double>(ImGui::GetIO().DeltaTime)));
  if (!dot || at_once) dot = goal;
  dot->intensity += (goal.intensity - dot->intensity) * static_cast<double>(part);
  dot->rate += (goal.rate - dot->rate) * static_cast<double>(part);
  const bool there = std::abs(goal.intensity - dot->intensity) + std::abs(goal.rate - dot->rate) < 0.004;
  if (there) dot = goal;
  return !there;
}

Colour colour_of(const Theme& theme, std::size_t dot) {
  const Colour colours[] = {theme.warning, theme.accent, theme.good};
  return colours[dot];
}

void draw_dots(PanelContext& context, Painter& painter, RooflinePanelState& state, const layout::RooflineChart& chart,
               const std::vector<RooflineRow>& rows, unsigned canvas) {
  for (std::size_t i = 0; i < std::size(kDots); ++i) {
    const RooflineRow& row = rows[kDots[i].row];
    if (follow(state.dots[i], row, context.scene.reduce_motion)) context.ui.keep_moving();
    const Point at = chart.place(std::pow(10.0, state.dots[i]->intensity), std::pow(10.0, state.dots[i]->rate));
    const Colour colour = colour_of(painter.theme(), i);
    painter.line(at, {at.x, chart.area.bottom()}, with_alpha(colour, 0.5F), 1);
    draw_mark(painter, kDots[i].shape, at, colour);
    const float size = context.px(kDot);
    if (!chart.inside(row.cost.intensity())) {  // further out than the axis reaches
      painter.text({at.x + size, at.y - context.px(8), context.px(16), context.px(16)}, ">>", colour, FontRole::small);
    }
    context.ui.registry.add_rect(kDots[i].id, "dot", tr(kDots[i].name),
                                 fmt::format("{} FLOP/B, {}, {}", three_digits(row.cost.intensity()),
                                             in_steps(row.rate, "FLOP/s"), bound_in_words(row.bound)),
                                 canvas, {at.x - size, at.y - size, at.x + size, at.y + size});
  }
}

/// A table under the chart, one line a dot: its mark, its numbers, what it waits for.
void draw_key(PanelContext& context, Painter& painter, Rect area, const std::vector<RooflineRow>& rows) {
  constexpr float kWidths[] = {66, 92, 82, 74};
  const auto draw_line = [&](Rect line, Colour colour, FontRole font, const std::vector<std::string>& cells) {
    layout::cut_left(line, context.px(22));
    painter.text(layout::cut_left(line, context.px(158)), cells[0], colour, font);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      painter.text(layout::cut_left(line, context.px(kWidths[i - 1])), cells[i], colour, FontRole::small, Align::right);
    }
  };
  const auto word = [](std::string_view english) { return std::string(tr(english)); };
  draw_line(layout::cut_top(area, context.px(18)), painter.theme().dim, FontRole::small,
            {"", "FLOP/B", word("at best"), word("waits for"), word("at least")});
  for (std::size_t i = 0; i < std::size(kDots); ++i) {
    const Rect line = layout::cut_top(area, context.px(20));
    const RooflineRow& row = rows[kDots[i].row];
    const Point mark{line.x + context.px(8), line.centre().y};
    draw_mark(painter, kDots[i].shape, mark, colour_of(painter.theme(), i));
    draw_line(line, painter.theme().text, FontRole::body,
              {word(kDots[i].name), three_digits(row.cost.intensity()), in_steps(row.rate, "FLOP/s"),
               bound_in_words(row.bound), duration(row.seconds)});
  }
}

void draw_chart(PanelContext& context, RooflinePanelState& state, const RooflineSetup& setup,
                const HardwareProfile& hardware) {
  const std::vector<RooflineRow> rows = roofline_rows(setup, hardware);
  const float key = context.px(82);
  const float words = context.px(88);
  const Rect room = room_left();
  const float height = std::max(context.px(190), room.height - words);
  const Canvas canvas = kvarium::ui::canvas(context.ui, "roofline_canvas", {room.width, height});
  Painter painter(*canvas.list, context.ui);
  Rect area = layout_rect(canvas);
  draw_key(context, painter, layout::cut_bottom(area, key), rows);
  layout::cut_bottom(area, context.px(kBottom + 4));
  layout::cut_left(area, context.px(kAxis));
  layout::cut_right(area, context.px(26));
  layout::cut_top(area, context.px(6));
  const layout::RooflineChart chart = layout::roofline_chart(area, hardware.flops_per_second);
  draw_axes(painter, chart);
  draw_roof(painter, chart, hardware);
  draw_dots(context, painter, state, chart, rows, canvas.id);
}

void draw_words(PanelContext& context, const RooflineSetup& setup, const HardwareProfile& hardware) {
  std::size_t number = 0;
  for (const std::string& sentence : roofline_sentences(setup, hardware)) {
    wrapped_text(context.ui, fmt::format("roofline_words/{}", number++), sentence);
  }
  ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().dim);
  wrapped_text(context.ui, "roofline_source", hardware.source);
  ImGui::PopStyleColor();
}

}  // namespace

void draw_roofline_panel(PanelContext& context, RooflinePanelState& state, const layout::Rect& dock) {
  Panel panel(context, "roofline", "", dock);
  if (!panel.visible()) return;
  if (!state.started) {
    const auto& shapes = model_shapes();
    const auto at = std::find_if(shapes.begin(), shapes.end(),
                                 [](const ModelShape& shape) { return shape.name == "llama-3.1-8b"; });
    state.model = static_cast<int>(at - shapes.begin());
    state.started = true;
  }
  draw_controls(context, state);
  ImGui::SameLine(0, context.px(14));
  ImGui::BeginChild("roofline_chart");
  const RooflineSetup setup = setup_of(state);
  const HardwareProfile& hardware = hardware_of(state);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(8), context.px(2)});
  draw_chart(context, state, setup, hardware);
  draw_words(context, setup, hardware);
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace kvarium::ui
