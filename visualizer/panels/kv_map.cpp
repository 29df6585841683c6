// K and V of one KV head as heat maps: a row a position, beside the block that it lies in; a column a channel.

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/head_kind.h"
#include "core/words/words.h"
#include "visualizer/draw/cell.h"
#include "visualizer/layout/probe_text.h"
#include "visualizer/panels/attention_view.h"

namespace kvarium::ui {
namespace {

using layout::HeatCell;
using layout::HeatMap;
using layout::KvPart;
using layout::ProbeRow;
using layout::Rect;

constexpr float kGutter = 118, kBand = 52, kCard = 44, kKey = 22, kBetween = 18, kTitle = 20, kChannels = 30,
                kLegend = 34;

std::string_view letter_of(KvPart part) { return part == KvPart::keys ? "K" : "V"; }
std::size_t index_of(KvPart part) { return part == KvPart::keys ? 0 : 1; }

struct KvFrame {
  ProbeFrame& frame;
  Painter& painter;
  std::uint32_t kv_head = 0;
  std::uint32_t positions = 0;  ///< that have K and V at the moment
};

/// The scale ends at the largest number of the whole run, so that colours stay while time passes.
void follow(const KvFrame& at) {
  KvFigures& figures = at.frame.state.figures;
  const std::string key = fmt::format("{} {} {}", at.frame.answer.version, at.kv_head, at.positions);
  if (figures.key == key) return;
  figures.key = key;
  for (const KvPart part : {KvPart::keys, KvPart::values}) {
    const std::size_t i = index_of(part);
    figures.channels[i] = layout::channel_numbers(at.frame.probe, part, at.kv_head, at.positions);
    figures.outliers[i] = layout::outlier_channels(figures.channels[i]);
    figures.largest[i] = 0;
    for (const auto& channel : layout::channel_numbers(at.frame.probe, part, at.kv_head, at.frame.probe.num_tokens()))
      figures.largest[i] = std::max(figures.largest[i], channel.size());
  }
}

Colour colour_of(const KvFrame& at, KvPart part, std::uint32_t position, std::uint32_t channel) {
  if (position >= at.positions) return at.painter.theme().panel;
  const float largest = std::max(at.frame.state.figures.largest[index_of(part)], 1e-30F);
  return diverging(layout::kv_row(at.frame.probe, part, position, at.kv_head)[channel] / largest);
}

void draw_numbers(const KvFrame& at, KvPart part, const HeatMap& map) {
  Painter& painter = at.painter;
  if (map.cell_width < painter.measure(FontRole::small, "-0.00") + painter.px(4)) return;
  if (map.cell_height < painter.line_height(FontRole::small)) return;
  for (std::uint32_t p = map.first_row; p < std::min(map.end_row, at.positions); ++p) {
    for (std::uint32_t c = map.first_column; c < map.end_column; ++c) {
      const auto number = static_cast<double>(layout::kv_row(at.frame.probe, part, p, at.kv_head)[c]);
      painter.text(map.cell(p, c), fmt::format("{:.2f}", number), readable_on(colour_of(at, part, p, c)),
                   FontRole::small, Align::centre);
    }
  }
}

/// Channel numbers above the map, and a triangle over those that stand out.
void draw_channels(const KvFrame& at, KvPart part, const HeatMap& map) {
  Painter& painter = at.painter;
  const Theme& theme = painter.theme();
  const std::uint32_t stride = layout::label_stride(map.cell_width, painter.measure(FontRole::small, "000"));
  const float top = map.area.y - painter.px(kChannels);
  for (std::uint32_t c = map.first_column; c < map.end_column; ++c) {
    if (c % stride != 0) continue;
    const float middle = map.cell(0, c).centre().x;
    painter.text({middle - painter.px(14), top, painter.px(28), painter.px(16)}, std::to_string(c), theme.dim,
                 FontRole::small, Align::centre);
  }
  for (const std::uint32_t c : at.frame.state.figures.outliers[index_of(part)]) {
    const float middle = map.cell(0, c).centre().x, base = map.area.y - painter.px(3);
    if (middle < map.area.x || middle > map.area.right()) continue;
    const float half = painter.px(5);
    painter.triangle({middle - half, base - 2 * half}, {middle + half, base - 2 * half}, {middle, base}, theme.warning);
  }
}

void draw_legend(const KvFrame& at, KvPart part, Rect room) {
  constexpr int kSlices = 64;
  Painter& painter = at.painter;
  const float largest = at.frame.state.figures.largest[index_of(part)];
  layout::cut_top(room, painter.px(6));
  const Rect bar = layout::cut_top(room, painter.px(8));
  for (int i = 0; i < kSlices; ++i) {
    const float share = static_cast<float>(i) / kSlices;
    painter.fill({bar.x + bar.width * share, bar.y, bar.width / kSlices + 1, bar.height}, diverging(2 * share - 1));
  }
  const Rect line = layout::cut_top(room, painter.px(16));
  const Theme& theme = painter.theme();
  painter.text(line, fmt::format("{:.2f}", -static_cast<double>(largest)), theme.dim, FontRole::small);
  painter.text(line, "0", theme.dim, FontRole::small, Align::centre);
  painter.text(line, fmt::format("{:.2f}", static_cast<double>(largest)), theme.dim, FontRole::small, Align::right);
}

void draw_part(const KvFrame& at, KvPart part, const Rect& title, const HeatMap& map, unsigned canvas) {
  ProbeFrame& frame = at.frame;
  HeatTexture& texture = part == KvPart::keys ? frame.state.keys : frame.state.values;
  texture.update(frame.context.ui.textures, fmt::format("{} {} {}", at.kv_head, at.positions, frame.painted), map.rows,
                 map.columns, [&](std::uint32_t p, std::uint32_t c) { return colour_of(at, part, p, c); });
  texture.draw(at.painter, map);
  at.painter.outline(map.area, at.painter.theme().line);
  draw_numbers(at, part, map);
  draw_channels(at, part, map);
  const std::size_t outliers = frame.state.figures.outliers[index_of(part)].size();
  std::string words = tr_format("{}: {} channels", layout::kv_title(at.frame.probe, part, at.kv_head), map.columns);
  if (outliers > 0) words += tr_format(", {} stand out", outliers);
  at.painter.text(title, words, at.painter.theme().text, FontRole::small);
  frame.context.ui.registry.add_rect(part == KvPart::keys ? "keys_map" : "values_map", "heat map", words,
                                     fmt::format("{} of {} rows", at.positions, frame.request.tokens.size()), canvas,
                                     screen_rect(map.area));
}

/// At the left of the rows: the physical block that holds them, in its owners' hues, with letter and number.
void draw_blocks(const KvFrame& at, const HeatMap& map, const Rect& band) {
  const World& world = at.frame.context.scene.world();
  const RequestState& request = at.frame.request;
  if (world.block_size == 0 || request.table.empty()) return;
  Painter& painter = at.painter;
  painter.clip({band.x, map.area.y, band.width, map.area.height});
  for (std::uint32_t i = map.first_row / world.block_size; i < request.table.size(); ++i) {
    const float top = map.row_rect(i * world.block_size).y;
    if (top >= map.area.bottom()) break;
    const auto block = value(request.table[i]);
    const layout::BlockPicture& picture = at.frame.context.scene.picture.blocks[block];
    Rect cell{band.x, top + 1, band.width - painter.px(4), static_cast<float>(world.block_size) * map.cell_height - 2};
    fill_owners(painter, cell, picture, 1);
    painter.outline(cell, painter.theme().outline);
    const float visible = std::min(cell.bottom(), map.area.bottom()) - std::max(cell.y, map.area.y);
    const Rect words{cell.x, std::max(cell.y, map.area.y), cell.width, visible};
    std::string text = fmt::format("{} {}", letter(RequestId{picture.owners[0]}), block);
    if (picture.ref_count > 1) text += fmt::format(" x{}", picture.ref_count);
    if (picture.owner_count > 1) {  // the stripes are of several hues: no text colour can be read on all
      const float height = painter.line_height(FontRole::small) + painter.px(2);
      painter.fill({words.x + 2, words.centre().y - height / 2, words.width - 4, height}, painter.theme().panel, 2);
    }
    const Colour colour =
        picture.owner_count > 1 ? painter.theme().text : painter.theme().owner(picture.owners[0]).text;
    painter.text_if_fits(words, text, colour, FontRole::small, Align::centre);
  }
  painter.pop_clip();
}

/// A line through both maps where a block begins.
void draw_block_lines(const KvFrame& at, const HeatMap& map) {
  const std::uint32_t size = at.frame.context.scene.world().block_size;
  if (size == 0 || at.frame.request.table.empty() || static_cast<float>(size) * map.cell_height < at.painter.px(4))
    return;
  for (std::uint32_t p = 0; p <= std::min(map.end_row, at.positions); p += size) {
    const float y = map.row_rect(p).y;
    if (y >= map.area.y && y <= map.area.bottom())
      at.painter.line({map.area.x, y}, {map.area.right(), y}, readable_on(diverging(0)), 1.5F);
  }
}

std::string place_of(const ProbeFrame& frame, std::uint32_t position) {
  const World& world = frame.context.scene.world();
  const RequestState& request = frame.request;
  if (request.region) return tr_format("slot {} of the arena", request.region->first_slot + position);
  if (world.block_size == 0 || position / world.block_size >= request.table.size())
    return std::string(tr("kept nowhere: used once and thrown away"));
  const std::uint64_t block = value(request.table[position / world.block_size]);
  return tr_format("logical block {} is block {}: slot {}", position / world.block_size, block,
                   block * world.block_size + position % world.block_size);
}

std::vector<std::string> explain(const KvFrame& at, KvPart part, HeatCell cell) {
  if (cell.row >= at.positions) return {tr_format("position {}: no K and V at this moment", cell.row)};
  const float number = layout::kv_row(at.frame.probe, part, cell.row, at.kv_head)[cell.column];
  const layout::ChannelNumbers& channel = at.frame.state.figures.channels[index_of(part)][cell.column];
  return {tr_format("{}[{}][{}] = {:.4f}   \"{}\"; {}", letter_of(part), cell.row, cell.column,
                    static_cast<double>(number), at.frame.name(cell.row), place_of(at.frame, cell.row)),
          tr_format("channel {}: min {:.3f}, mean {:.3f}, max {:.3f}", cell.column, static_cast<double>(channel.low),
                    static_cast<double>(channel.mean), static_cast<double>(channel.high))};
}

struct Places {
  Rect band, gutter, key, card;
  Rect title[2], map[2], legend[2];
};

Places divide(const Painter& painter, Rect rest) {
  Places at;
  at.card = layout::cut_bottom(rest, painter.px(kCard));
  at.key = layout::cut_bottom(rest, painter.px(kKey));
  at.band = layout::cut_left(rest, painter.px(kBand));
  at.gutter = layout::cut_left(rest, painter.px(kGutter));
  const float width = (rest.width - painter.px(kBetween)) / 2;
  for (int i = 0; i < 2; ++i) {
    Rect half = layout::cut_left(rest, width);
    layout::cut_left(rest, painter.px(kBetween));
    at.title[i] = layout::cut_top(half, painter.px(kTitle));
    layout::cut_top(half, painter.px(kChannels));
    at.legend[i] = layout::cut_bottom(half, painter.px(kLegend));
    at.map[i] = half;
  }
  return at;
}

/// What is pointed at, else the cursor's cell in K.
void explain_cell(const KvFrame& at, const HeatMap (&maps)[2], const Canvas& canvas, const Rect& card) {
  AttentionPanelState& state = at.frame.state;
  if (state.cursor) {
    state.cursor =
        HeatCell{std::min(state.cursor->row, maps[0].rows - 1), std::min(state.cursor->column, maps[0].columns - 1)};
  }
  KvPart part = KvPart::keys;
  std::optional<HeatCell> cell = state.cursor;
  for (const KvPart each : {KvPart::keys, KvPart::values}) {
    const auto hit = canvas.hovered ? maps[index_of(each)].hit(mouse()) : std::nullopt;
    if (!hit) continue;
    cell = hit;
    part = each;
    if (hit->row >= at.frame.rows.size()) continue;
    const Target target = Target::token(at.frame.request.id, hit->row);
    at.frame.context.selection.hovered = target;
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) continue;
    state.cursor = hit;
    at.frame.context.actions.select(target);
  }
  if (!cell) {
    return draw_card(at.frame, at.painter, card,
                     {std::string(tr("Rows: positions, beside the block that holds them. Columns: channels.")),
                      std::string(tr("Point at a cell, or Ctrl+Shift+arrows: its number and its slot stand here."))});
  }
  const HeatMap& map = maps[index_of(part)];
  at.painter.clip(map.area);
  at.painter.outline(map.cell(cell->row, cell->column), at.painter.theme().accent, 2);
  at.painter.pop_clip();
  draw_card(at.frame, at.painter, card, explain(at, part, *cell));
}

}  // namespace

void draw_keys_values(ProbeFrame& frame) {
  PanelContext& context = frame.context;
  AttentionPanelState& state = frame.state;
  const Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "kv_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  const std::uint32_t rows = frame.extent;
  const KvFrame at{frame, painter, kv_head_of(frame.probe.shape, state.head),
                   std::min(layout::kv_positions(frame.request), rows)};
  follow(at);
  const Places places = divide(painter, layout_rect(canvas));
  const auto make = [&](int i) {
    const std::uint32_t columns = layout::num_channels(frame.probe, i == 0 ? KvPart::keys : KvPart::values);
    return layout::heat_map(rows, columns, places.map[i], context.ui.scale(), false, state.look);
  };
  const HeatMap before = make(0);
  if (state.reveal_cursor && state.cursor) state.look = layout::revealed(state.look, before, *state.cursor);
  state.reveal_cursor = false;
  move_map(frame, canvas, before);
  move_map(frame, canvas, make(1));
  const HeatMap maps[2] = {make(0), make(1)};
  draw_part(at, KvPart::keys, places.title[0], maps[0], canvas.id);
  draw_part(at, KvPart::values, places.title[1], maps[1], canvas.id);
  for (int i = 0; i < 2; ++i) {
    draw_block_lines(at, maps[i]);
    Rect legend = places.legend[i];
    legend.y = maps[i].area.bottom();
    legend.width = std::max(maps[i].area.width, painter.px(120));
    draw_legend(at, i == 0 ? KvPart::keys : KvPart::values, legend);
  }
  draw_blocks(at, maps[0], places.band);
  draw_row_labels(frame, painter, maps[0], places.gutter);
  draw_row_key(frame, painter, places.key);
  explain_cell(at, maps, canvas, places.card);
}

}  // namespace kvarium::ui
