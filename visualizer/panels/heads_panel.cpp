#include "visualizer/panels/heads_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/bytes_report.h"
#include "core/cost/head_kind.h"
#include "core/cost/heads_report.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/roofline.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "visualizer/layout/head_figure.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr int kTokenStops[] = {1024, 4096, 8192, 32768, 131072};
constexpr float kRow = 23, kHeader = 20, kLeast = 176;  // logical pixels; of figure and questions
constexpr float kName = 118, kKind = 74, kSize = 94, kIntensity = 64;

/// The run's own shape may come from a file, and be anything.
bool can_be_compared(const ModelShape& shape) {
  // So small that 64 bits hold the bytes of any number of tokens that can be chosen.
  constexpr std::uint32_t kMostLayers = 10'000, kMost = 65'536, kMostHeads = 1024;
  const auto good = [](std::uint32_t number, std::uint32_t most) { return number > 0 && number <= most; };
  if (!good(shape.layers, kMostLayers) || !good(shape.query_heads, kMostHeads) || !good(shape.head_dim, kMost))
    return false;
  if (shape.kv_kind == KvKind::latent) return good(shape.latent_dim, kMost) && good(shape.rotary_key_dim, kMost);
  return good(shape.kv_heads, kMostHeads) && shape.query_heads % shape.kv_heads == 0;
}

std::vector<HeadsRow> rows_of(const Scene& scene, const HeadsPanelState& state, ElementType type) {
  std::vector<HeadsRow> rows;
  const auto tokens = static_cast<std::uint64_t>(state.tokens);
  for (const ModelShape& shape : compared_models()) rows.push_back(heads_row(shape, tokens, type));
  ModelShape own = scene.world().model;
  if (!can_be_compared(own)) return rows;
  own.name = "this run's";  // shown through tr()
  rows.push_back(heads_row(own, tokens, type));
  return rows;
}

void draw_controls(PanelContext& context, HeadsPanelState& state) {
  ImGui::BeginGroup();
  slider_stops(context.ui, "heads_tokens", "Tokens", state.tokens, kTokenStops,
               {.tooltip = "How many tokens' K and V are kept", .width = 210});
  ImGui::EndGroup();
  ImGui::SameLine(0, context.px(24));
  ImGui::BeginGroup();
  std::vector<std::string> names;
  for (const ElementType type : element_types()) names.emplace_back(name(type));
  combo(context.ui, "heads_type", "Number format of K and V", state.type, names, {.width = 170});
  ImGui::EndGroup();
  ImGui::SameLine(0, context.px(24));
  const auto type = element_types()[static_cast<std::size_t>(state.type)];
  if (button(context.ui, "heads_copy", "Copy", {.tooltip = "Copy all of this as text"})) {
    context.actions.copy(heads_report(static_cast<std::uint64_t>(state.tokens), type));
  }
}

struct Columns {
  Rect name, kind, bar, token, context, intensity;
};
Columns columns_of(const PanelContext& context, Rect line) {
  Columns columns;
  columns.name = layout::cut_left(line, context.px(kName));
  columns.kind = layout::cut_left(line, context.px(kKind));
  columns.intensity = layout::cut_right(line, context.px(kIntensity));
  columns.context = layout::cut_right(line, context.px(kSize));
  columns.token = layout::cut_right(line, context.px(kSize));
  columns.bar = line;
  return columns;
}

/// A row without the mark of the chosen one and the space at its end.
Rect content_of(const PanelContext& context, const Rect& row) {
  return {row.x + context.px(8), row.y, row.width - context.px(12), row.height};
}

void draw_header(PanelContext& context, Painter& painter, const HeadsPanelState& state) {
  const Rect room = room_left();
  ImGui::Dummy({room.width, context.px(kHeader)});
  const Columns at = columns_of(context, content_of(context, {room.x, room.y, room.width, context.px(kHeader)}));
  const Colour dim = painter.theme().dim;
  painter.text(at.name, tr("model"), dim, FontRole::small);
  painter.text(at.kind, tr("heads"), dim, FontRole::small);
  painter.text(at.bar, tr("one token's K and V"), dim, FontRole::small);
  painter.text(at.token, tr("one token"), dim, FontRole::small, Align::right);
  painter.text(at.context, tr_format("{} tokens", with_commas(static_cast<std::uint64_t>(state.tokens))), dim,
               FontRole::small, Align::right);
  painter.text(at.intensity, tr("FLOP/B"), dim, FontRole::small, Align::right);
}

/// One model: a bar that all share the scale of, and its numbers.
void draw_row(PanelContext& context, Painter& painter, HeadsPanelState& state, const HeadsRow& row, double most) {
  const Theme& theme = painter.theme();
  const bool chosen = row.shape.name == state.chosen;
  const std::string value =
      fmt::format("{} {} {:.1f}", binary_size(row.token_bytes), binary_size(row.context_bytes), row.intensity);
  const Pressable place = pressable(context, "heads/" + row.shape.name, "row", row.shape.name, value, context.px(kRow));
  if (place.pressed) state.chosen = row.shape.name;
  painter.fill(place.area, chosen ? theme.selected : place.hovered ? theme.hovered : theme.panel, 4);
  if (chosen) painter.fill({place.area.x, place.area.y, context.px(3), place.area.height}, theme.accent, 1.5F);
  const Columns at = columns_of(context, content_of(context, place.area));
  painter.text(at.name, tr(row.shape.name), theme.text);
  painter.text(at.kind, head_kind_name(row.shape), theme.text, FontRole::strong);
  Rect bar{at.bar.x, at.bar.y + context.px(5), at.bar.width - context.px(8), at.bar.height - context.px(10)};
  bar.width = std::max(context.px(1), bar.width * static_cast<float>(static_cast<double>(row.token_bytes) / most));
  painter.fill(bar, theme.accent, 2);
  painter.text(at.token, binary_size(row.token_bytes), theme.text, FontRole::mono, Align::right);
  painter.text(at.context, binary_size(row.context_bytes), theme.text, FontRole::mono, Align::right);
  painter.text(at.intensity, fmt::format("{:.1f}", row.intensity), theme.text, FontRole::mono, Align::right);
}

/// The chosen model in words: its formula with its numbers, and whether its attention waits for memory.
void draw_formula(PanelContext& context, const HeadsRow& row, ElementType type) {
  const ModelShape& shape = row.shape;
  wrapped_text(context.ui, "heads/words",
               tr_format("{}: {}, {}.", tr(shape.name), head_kind_words(head_kind(shape)), heads_in_words(shape)));
  mono_text(context.ui, "heads/names", tr_format("one token = {}", token_names(shape)));
  mono_text(context.ui, "heads/numbers",
            fmt::format("          = {} = {}", token_numbers(shape, type), size_in_words(row.token_bytes)));
  std::string against;
  for (const HardwareProfile& hardware : hardware_profiles()) {
    against += fmt::format("{}{} {:.0f}", against.empty() ? "" : ", ", hardware.name, ridge_point(hardware));
  }
  wrapped_text(context.ui, "heads/intensity",
               tr_format("Attention in decode does {:.1f} FLOP for each byte that it reads. Below these it waits for "
                         "memory: {}.",
                         row.intensity, against));
}

void draw_figure(PanelContext& context, const ModelShape& shape, float width, float height) {
  const Canvas canvas = kvarium::ui::canvas(context.ui, "heads_canvas", {width, height});
  Painter painter(*canvas.list, context.ui);
  const Theme& theme = painter.theme();
  Rect area = layout_rect(canvas);
  painter.text(layout::cut_top(area, context.px(20)),
               shape.kv_kind == KvKind::latent ? tr("squares: query heads; below: the one row that all unpack")
                                               : tr("squares: query heads; below: the K and V that they read"),
               theme.dim, FontRole::small);
  const bool latent = shape.kv_kind == KvKind::latent;
  const std::uint32_t stores = latent ? 1 : shape.kv_heads;
  const layout::HeadFigure figure =
      layout::head_figure(shape.query_heads, stores, area.inset(context.px(2)), context.px(26));
  for (const Rect& square : figure.queries) {
    painter.fill(square, theme.raised, 2);
    painter.outline(square, theme.dim, 1, 2);
  }
  for (std::size_t i = 0; i < figure.stores.size(); ++i) {
    const Rect& box = figure.stores[i];
    painter.fill(box, theme.accent, 2);
    painter.outline(box, theme.outline, 1, 2);
    const std::string words =
        latent ? tr_format("{} numbers + rotary key {}", shape.latent_dim, shape.rotary_key_dim) : std::to_string(i);
    painter.text_if_fits(box, words, theme.on_accent, FontRole::small, Align::centre);
  }
  context.ui.registry.add_rect("heads_figure", "figure", shape.name,
                               fmt::format("{} squares, {} boxes", figure.queries.size(), figure.stores.size()),
                               canvas.id, screen_rect(area));
}

/// A question with two sizes to press; then the verdict, both formulas and why.
void draw_trap(PanelContext& context, const Trap& trap, std::size_t number, std::optional<int>& answer) {
  const std::string id = fmt::format("trap/{}", number);
  wrapped_text(context.ui, id, trap.question);
  const std::uint64_t sizes[] = {std::min(trap.wrong, trap.right), std::max(trap.wrong, trap.right)};
  for (int i = 0; i < 2; ++i) {
    if (i == 1) ImGui::SameLine();
    const Look look{.tooltip = "Your answer", .active = answer == i};
    if (button(context.ui, fmt::format("{}/{}", id, i), binary_size(sizes[i]), look)) answer = i;
  }
  if (answer) {
    const bool right = sizes[*answer] == trap.right;
    ImGui::SameLine(0, context.px(12));
    text(context.ui, id + "/verdict", right ? tr("Right.") : tr("Not quite."));
    wrapped_text(context.ui, id + "/wrong", tr_format("wrong: {} = {}", trap.wrong_formula, binary_size(trap.wrong)));
    wrapped_text(context.ui, id + "/right", tr_format("right: {} = {}", trap.right_formula, binary_size(trap.right)));
    wrapped_text(context.ui, id + "/why", trap.why);
  }
  ImGui::Spacing();
}

void draw_questions(PanelContext& context, HeadsPanelState& state, ElementType type, float height) {
  ImGui::BeginChild("heads_questions", {0, height});
  const std::vector<Trap> both = traps(type);
  for (std::size_t i = 0; i < both.size(); ++i) draw_trap(context, both[i], i, state.answers[i]);
  ImGui::EndChild();
}

}  // namespace

void draw_heads_panel(PanelContext& context, HeadsPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "heads", "", dock);
  if (!panel.visible()) return;
  draw_controls(context, state);
  const ElementType type = element_types()[static_cast<std::size_t>(state.type)];
  const std::vector<HeadsRow> rows = rows_of(context.scene, state, type);
  double most = 1;
  for (const HeadsRow& row : rows) most = std::max(most, static_cast<double>(row.token_bytes));
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(8), context.px(1)});
  draw_header(context, painter, state);
  for (const HeadsRow& row : rows) draw_row(context, painter, state, row, most);
  ImGui::PopStyleVar();
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const HeadsRow& row) { return row.shape.name == state.chosen; });
  const HeadsRow& chosen = at == rows.end() ? rows.front() : *at;
  ImGui::Spacing();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(8), context.px(2)});
  draw_formula(context, chosen, type);
  ImGui::PopStyleVar();
  ImGui::Spacing();
  const Rect room = room_left();
  const float height = std::max(room.height, context.px(kLeast));
  draw_figure(context, chosen.shape, room.width * 0.48F, height);
  ImGui::SameLine(0, context.px(16));
  draw_questions(context, state, type, height);
}

}  // namespace kvarium::ui
