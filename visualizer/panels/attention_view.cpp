// What both heat maps of the Attention tab have around them.

#include "visualizer/panels/attention_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"

namespace kvarium::ui {

using layout::ProbeRow;
using layout::Rect;

namespace {

constexpr float kMark = 12, kNumber = 30;

/// '#': K and V were there already; '>': computed in this step. The same glyphs as of the cells' states where there is
/// one.
std::string_view glyph_of(ProbeRow row) { return row == ProbeRow::found ? "#" : row == ProbeRow::fresh ? ">" : ""; }

}  // namespace

void draw_row_labels(ProbeFrame& frame, Painter& painter, const layout::HeatMap& map, const Rect& gutter) {
  const Theme& theme = painter.theme();
  const float line = painter.line_height(FontRole::small);
  const std::uint32_t stride = layout::label_stride(map.cell_height, line);
  painter.clip(Rect{gutter.x, map.area.y, gutter.width, map.area.height}.inset(-painter.px(7)));
  for (std::uint32_t q = map.first_row; q < std::min<std::size_t>(map.end_row, frame.rows.size()); ++q) {
    const ProbeRow row = frame.row(q);
    const Rect cell = map.row_rect(q);
    if (row == ProbeRow::fresh)
      painter.fill({gutter.right() - painter.px(4), cell.y, painter.px(3), std::max(1.0F, cell.height)}, theme.accent);
    Rect label{gutter.x, cell.y + (cell.height - line) / 2, gutter.width - painter.px(8), line};
    const Rect mark = layout::cut_left(label, painter.px(kMark));
    const bool newest = row == ProbeRow::fresh && frame.row(q + 1) != ProbeRow::fresh;
    if (q % stride == 0 || newest) painter.text(mark, glyph_of(row), theme.text, FontRole::small);
    if (q % stride != 0) continue;
    painter.text(layout::cut_left(label, painter.px(kNumber - 6)), std::to_string(q), theme.dim, FontRole::small,
                 Align::right);
    layout::cut_left(label, painter.px(6));
    painter.text(label, frame.name(q), row == ProbeRow::waiting ? theme.dim : theme.text, FontRole::small);
  }
  painter.pop_clip();
}

void move_map(ProbeFrame& frame, const Canvas& canvas, const layout::HeatMap& map) {
  AttentionPanelState& state = frame.state;
  const ImGuiIO& io = ImGui::GetIO();
  if (canvas.hovered && map.area.contains(mouse()) && io.MouseWheel != 0)
    state.look = layout::zoomed(state.look, map, mouse(), io.MouseWheel > 0 ? 1.25F : 0.8F);
  const bool drags = ImGui::IsMouseDragging(ImGuiMouseButton_Left) || ImGui::IsMouseDragging(ImGuiMouseButton_Right);
  if (!canvas.held || !drags || map.cell_width <= 0) return;
  state.look.corner = {map.corner.x - io.MouseDelta.x / map.cell_width,
                       map.corner.y - io.MouseDelta.y / map.cell_height};
  frame.context.ui.keep_moving();
}

void draw_card(ProbeFrame& frame, Painter& painter, Rect card, const std::vector<std::string>& lines) {
  const Rect whole = card;
  painter.fill(card, painter.theme().background, 4);
  card = card.inset(painter.px(4));
  std::string all;
  for (const std::string& line : lines) {
    painter.text(layout::cut_top(card, painter.px(18)), line, painter.theme().text, FontRole::mono);
    all += (all.empty() ? "" : "\n") + line;
  }
  frame.context.ui.registry.add_rect("probe_card", "text", all, all, 0, screen_rect(whole));
}

void draw_row_key(ProbeFrame& frame, Painter& painter, Rect line) {
  const auto entry = [&](std::string_view glyph, std::string_view words) {
    layout::cut_left(line, painter.text(line, glyph, painter.theme().text, FontRole::small) + painter.px(5));
    layout::cut_left(line, painter.text(line, words, painter.theme().dim, FontRole::small) + painter.px(18));
  };
  const auto has = [&](ProbeRow row) {
    return std::find(frame.rows.begin(), frame.rows.end(), row) != frame.rows.end();
  };
  if (has(ProbeRow::fresh)) entry(">", tr("computed in this step"));
  if (has(ProbeRow::found)) entry("#", tr("K and V were there already: this request never computed that row"));
  if (frame.rows.size() < frame.probe.num_tokens() || has(ProbeRow::waiting)) entry(" ", tr("below: not computed yet"));
}

}  // namespace kvarium::ui
