// The weights of one head as a heat map, and beside it small ones of all heads of the layer.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/cost/head_kind.h"
#include "core/words/words.h"
#include "visualizer/layout/head_groups.h"
#include "visualizer/layout/probe_text.h"
#include "visualizer/panels/attention_view.h"

namespace kvarium::ui {
namespace {

using layout::HeadGroups;
using layout::HeatCell;
using layout::HeatMap;
using layout::ProbeRow;
using layout::Rect;

constexpr float kGutter = 124, kTokenLabel = 66, kCard = 44, kKey = 22, kBetween = 14;
constexpr float kNarrowestSide = 150, kWidestSide = 320, kLargestHead = 84, kBar = 18;
constexpr std::uint32_t kSmallSide = 48;  // cells of a small picture at most

float shade(const AttentionPanelState& state, float weight) { return state.linear ? weight : std::sqrt(weight); }

/// A cell's colour: the weight; nothing for what comes later, and for rows that are not computed yet.
Colour colour_of(const ProbeFrame& frame, const Theme& theme, std::uint32_t head, std::uint32_t q, std::uint32_t k) {
  if (frame.row(q) == ProbeRow::waiting) return theme.panel;
  if (k > q) return theme.grid;
  const Colour colour = viridis(shade(frame.state, frame.probe.weights(head, q)[k]));
  return frame.row(q) == ProbeRow::found ? mix(theme.panel, colour, 0.55F) : colour;
}

void paint_map(ProbeFrame& frame, const Theme& theme) {
  const std::uint32_t n = frame.extent, head = frame.state.head;
  frame.state.map.update(frame.context.ui.textures, fmt::format("{} {} {}", head, frame.state.linear, frame.painted), n,
                         n, [&](std::uint32_t q, std::uint32_t k) { return colour_of(frame, theme, head, q, k); });
}

/// Where there are more tokens than pixels, a pixel shows the largest weight of its tokens.
void paint_small(ProbeFrame& frame, const Theme& theme, std::uint32_t head) {
  const std::uint32_t n = frame.extent, side = std::min(n, kSmallSide);
  const auto first = [n, side](std::uint32_t pixel) { return pixel * n / side; };
  const auto paint = [&](std::uint32_t row, std::uint32_t column) {
    HeatCell shown{first(row), first(column)};
    float most = -1;
    for (std::uint32_t q = first(row); q < first(row + 1); ++q) {
      if (frame.row(q) == ProbeRow::waiting) continue;
      for (std::uint32_t k = first(column); k < std::min(q + 1, first(column + 1)); ++k) {
        const float weight = frame.probe.weights(head, q)[k];
        if (weight <= most) continue;
        most = weight;
        shown = {q, k};
      }
    }
    return colour_of(frame, theme, head, shown.row, shown.column);
  };
  frame.state.heads[head].update(frame.context.ui.textures, fmt::format("{} {}", frame.state.linear, frame.painted),
                                 side, side, paint);
}

void draw_numbers(ProbeFrame& frame, Painter& painter, const HeatMap& map) {
  if (map.cell_width < painter.measure(FontRole::small, "0.00") + painter.px(4)) return;
  if (map.cell_height < painter.line_height(FontRole::small)) return;
  for (std::uint32_t q = map.first_row; q < map.end_row; ++q) {
    if (frame.row(q) == ProbeRow::waiting) continue;
    for (std::uint32_t k = map.first_column; k < std::min(map.end_column, q + 1); ++k) {
      const auto weight = static_cast<double>(frame.probe.weights(frame.state.head, q)[k]);
      const Colour fill = colour_of(frame, painter.theme(), frame.state.head, q, k);
      painter.text(map.cell(q, k), fmt::format("{:.2f}", weight), readable_on(fill), FontRole::small, Align::centre);
    }
  }
}

void draw_column_labels(ProbeFrame& frame, Painter& painter, const HeatMap& map) {
  const float letter = painter.line_height(FontRole::small);
  const std::uint32_t stride = layout::label_stride(map.cell_width, letter);
  for (std::uint32_t k = map.first_column; k < map.end_column; ++k) {
    if (k % stride != 0 || k >= frame.rows.size()) continue;
    const Rect cell = map.cell(map.first_row, k);
    const Rect room{cell.x, map.area.y - painter.px(kTokenLabel), cell.width, painter.px(kTokenLabel - 4)};
    painter.upward_text(room, fmt::format("{} {}", k, frame.name(k)), painter.theme().dim, FontRole::small);
  }
}

/// The upper right half says what it is, where there is room.
void draw_future(Painter& painter, const HeatMap& map) {
  const Rect whole = map.whole();
  const Rect words{whole.x + whole.width * 0.4F, whole.y + whole.height * 0.1F, whole.width * 0.58F, painter.px(18)};
  painter.clip(map.area);
  painter.text_if_fits(words, tr("the future: no token looks ahead"), painter.theme().dim, FontRole::small,
                       Align::right);
  painter.pop_clip();
}

/// Fine lines between cells that are large enough, so that equal neighbours can be told apart.
void draw_lines(Painter& painter, const HeatMap& map) {
  if (map.cell_width < painter.px(10)) return;
  for (std::uint32_t q = map.first_row; q <= map.end_row; ++q) {
    const float y = std::min(map.cell(q, 0).y, map.area.bottom());
    if (y >= map.area.y) painter.line({map.area.x, y}, {map.area.right(), y}, painter.theme().panel);
  }
  for (std::uint32_t k = map.first_column; k <= map.end_column; ++k) {
    const float x = std::min(map.cell(0, k).x, map.area.right());
    if (x >= map.area.x) painter.line({x, map.area.y}, {x, map.area.bottom()}, painter.theme().panel);
  }
}

std::vector<std::string> explain(const ProbeFrame& frame, HeatCell cell) {
  if (frame.row(cell.row) == ProbeRow::waiting) return {tr_format("row {}: not computed yet at this step", cell.row)};
  if (cell.column > cell.row)
    return {tr_format("token {} cannot look at position {}: it comes later (causal mask)", cell.row, cell.column)};
  return layout::weight_lines(frame.probe, frame.state.head, cell, frame.name(cell.row), frame.name(cell.column));
}

void draw_cell_frames(Painter& painter, const HeatMap& map, HeatCell cell) {
  const Theme& theme = painter.theme();
  painter.clip(map.area);
  const Rect at = map.cell(cell.row, cell.column);
  painter.outline({map.area.x, at.y, at.right() - map.area.x, at.height}, theme.accent, 1);
  painter.outline({at.x, at.y, at.width, map.area.bottom() - at.y}, with_alpha(theme.accent, 0.4F), 1);
  painter.outline(at, theme.text, 2);
  painter.pop_clip();
}

/// The cell that is pointed at, else the one that the keys chose. Tells the other panels which K and V it reads.
std::optional<HeatCell> explained_cell(ProbeFrame& frame, const Canvas& canvas, const HeatMap& map) {
  AttentionPanelState& state = frame.state;
  if (state.cursor) {
    const std::uint32_t last = frame.extent - 1;
    state.cursor = HeatCell{std::min(state.cursor->row, last), std::min(state.cursor->column, last)};
  }
  std::optional<HeatCell> hit;
  if (canvas.hovered) hit = map.hit(mouse());
  if (!hit) return state.cursor;
  if (hit->column < frame.rows.size()) frame.context.selection.hovered = Target::token(frame.request.id, hit->column);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    state.cursor = hit;
    if (hit->row < frame.rows.size()) frame.context.actions.select(Target::token(frame.request.id, hit->row));
  }
  return hit;
}

void draw_legend(const ProbeFrame& frame, Painter& painter, Rect room) {
  constexpr int kSlices = 64;
  const Theme& theme = painter.theme();
  painter.text(layout::cut_top(room, painter.px(18)), tr("weight: how much of a token's attention goes there"),
               theme.dim, FontRole::small);
  const Rect bar = layout::cut_top(room, painter.px(10));
  for (int i = 0; i < kSlices; ++i) {
    const float share = static_cast<float>(i) / kSlices;
    painter.fill({bar.x + bar.width * share, bar.y, bar.width / kSlices + 1, bar.height}, viridis(share));
  }
  for (const float weight : {0.0F, 0.05F, 0.2F, 0.5F, 1.0F}) {
    if (frame.state.linear && weight == 0.05F) continue;  // too near to 0
    const float x = bar.x + bar.width * shade(frame.state, weight);
    const Align align = weight == 0 ? Align::left : weight == 1 ? Align::right : Align::centre;
    const float left = weight == 0 ? x : weight == 1 ? x - painter.px(30) : x - painter.px(15);
    painter.text({left, bar.bottom() + painter.px(2), painter.px(30), painter.px(14)},
                 fmt::format("{:.2g}", static_cast<double>(weight)), theme.dim, FontRole::small, align);
  }
}

void draw_one_head(ProbeFrame& frame, Painter& painter, const Rect& rect, std::uint32_t head) {
  const Theme& theme = painter.theme();
  paint_small(frame, theme, head);
  frame.state.heads[head].draw(painter, rect);
  const bool chosen = head == frame.state.head;
  painter.outline(chosen ? rect.inset(-painter.px(2)) : rect, chosen ? theme.accent : theme.outline, chosen ? 2 : 1);
  const Rect number{rect.x, rect.y, rect.width - painter.px(3), painter.px(14)};
  painter.text_if_fits(number, std::to_string(head), chosen ? theme.text : theme.dim, FontRole::small, Align::right);
}

std::string sharing_in_words(const layout::LayerProbe& probe) {
  const ModelShape& shape = probe.shape;
  if (probe.latent_dim > 0) {
    return tr_format("layer {}: {} query heads read one latent row a token", probe.layer, shape.query_heads);
  }
  if (shape.kv_heads == shape.query_heads) {
    return tr_format("layer {}: {} heads, each with its own K and V", probe.layer, shape.query_heads);
  }
  return tr_format("layer {}: {} query heads share {} KV heads", probe.layer, shape.query_heads, shape.kv_heads);
}

/// All heads of the layer, those that read the same K and V under one bar.
void draw_heads(ProbeFrame& frame, Painter& painter, Rect room, const Canvas& canvas) {
  const Theme& theme = painter.theme();
  const ModelShape& shape = frame.probe.shape;
  painter.text(layout::cut_top(room, painter.px(20)), sharing_in_words(frame.probe), theme.text, FontRole::small);
  const HeadGroups groups = layout::head_groups(shape.query_heads, shape.kv_heads, room, painter.px(kLargestHead),
                                                painter.px(kBar), painter.px(4));
  for (std::uint32_t g = 0; g < groups.bars.size(); ++g) {
    const bool chosen = kv_head_of(shape, frame.state.head) == g;
    painter.fill(groups.bars[g], chosen ? theme.selected : theme.raised, 3);
    painter.text(groups.bars[g], groups.bars[g].width > painter.px(44) ? tr_format("KV {}", g) : std::to_string(g),
                 theme.text, FontRole::small, Align::centre);
  }
  frame.state.heads.resize(shape.query_heads);
  for (std::uint32_t h = 0; h < groups.heads.size(); ++h) {
    draw_one_head(frame, painter, groups.heads[h], h);
    frame.context.ui.registry.add_rect(fmt::format("head/{}", h), "picture", tr_format("head {}", h),
                                       h == frame.state.head ? "selected" : "", canvas.id,
                                       screen_rect(groups.heads[h]));
  }
  if (!canvas.hovered || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  if (const auto head = groups.hit(mouse())) frame.state.head = *head;
}

/// Left the map with its labels, right the heads and the legend.
struct Places {
  Rect gutter, map, side, key, card;
};

Places divide(const Painter& painter, Rect rest) {
  Places at;
  at.card = layout::cut_bottom(rest, painter.px(kCard));
  at.key = layout::cut_bottom(rest, painter.px(kKey));
  const float square = rest.height - painter.px(kTokenLabel);
  const float left = rest.width - painter.px(kGutter + kBetween) - square;
  at.side = layout::cut_right(rest, std::clamp(left, painter.px(kNarrowestSide), painter.px(kWidestSide)));
  layout::cut_right(rest, painter.px(kBetween));
  at.gutter = layout::cut_left(rest, painter.px(kGutter));
  layout::cut_top(rest, painter.px(kTokenLabel));
  at.map = rest;
  return at;
}

}  // namespace

void draw_weights(ProbeFrame& frame) {
  PanelContext& context = frame.context;
  AttentionPanelState& state = frame.state;
  const Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "attention_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  const Places places = divide(painter, layout_rect(canvas));
  const std::uint32_t n = frame.extent;
  HeatMap map = layout::heat_map(n, n, places.map, context.ui.scale(), true, state.look);
  if (state.reveal_cursor && state.cursor) state.look = layout::revealed(state.look, map, *state.cursor);
  state.reveal_cursor = false;
  move_map(frame, canvas, map);
  map = layout::heat_map(n, n, places.map, context.ui.scale(), true, state.look);
  paint_map(frame, context.ui.theme());
  state.map.draw(painter, map);
  draw_lines(painter, map);
  draw_future(painter, map);
  draw_numbers(frame, painter, map);
  painter.outline(map.area, context.ui.theme().line);
  draw_row_labels(frame, painter, map, places.gutter);
  draw_column_labels(frame, painter, map);
  draw_row_key(frame, painter, places.key);
  context.ui.registry.add_rect("attention_map", "heat map", tr_format("layer {} head {}", state.layer, state.head),
                               fmt::format("{} of {} rows", layout::num_shown(frame.rows), frame.request.tokens.size()),
                               canvas.id, screen_rect(map.area));
  Rect side = places.side;
  draw_legend(frame, painter, layout::cut_bottom(side, context.px(46)));
  draw_heads(frame, painter, side, canvas);
  const auto cell = explained_cell(frame, canvas, map);
  if (cell) draw_cell_frames(painter, map, *cell);
  draw_card(frame, painter, places.card,
            cell ? explain(frame, *cell)
                 : std::vector<std::string>{
                       std::string(tr("Rows: the tokens that look. Columns: the positions they look at.")),
                       std::string(tr("Point at a cell, or Ctrl+Shift+arrows: its formula stands here."))});
}

}  // namespace kvarium::ui
