#include "visualizer/panels/blocks_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "visualizer/panels/blocks_view.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kTitle = 26, kLinkRoom = 30, kLargestTablesShare = 0.46F;

/// A heading and, in dim letters, what it means.
void draw_title(Painter& painter, const Rect& line, std::string_view title, std::string_view meaning) {
  const float covered = painter.measure(FontRole::strong, title) + painter.measure(FontRole::small, meaning);
  painter.fill({line.x, line.y, std::min(line.width, covered + painter.px(16)), line.height},
               with_alpha(painter.theme().panel, 0.5F));
  const float width = painter.text(line, title, painter.theme().text, FontRole::strong);
  const float gap = painter.px(10);
  Rect rest = line;
  layout::cut_left(rest, width + gap);
  painter.text(rest, meaning, painter.theme().dim, FontRole::small);
}

std::string tables_meaning(const World& world) {
  if (world.block_size == 0) return std::string(tr("tokens in their order; this run has no blocks"));
  return tr_format("tokens in their order, cut into blocks of {}; the table says which block of the pool holds each",
                   world.block_size);
}

std::string pool_meaning(const World& world, const layout::PoolPicture& picture) {
  const auto blocks = static_cast<std::uint32_t>(picture.blocks.size());
  std::string words = tr_format("{} blocks of {} slots, {} in use", blocks, picture.block_size, picture.used);
  if (picture.cached > 0) words += tr_format(", {} cached", picture.cached);
  constexpr std::size_t kMostNext = 8;
  std::string next;
  for (const BlockId block : world.free_blocks.order(kMostNext)) next += fmt::format(" {}", value(block));
  if (world.free_blocks.size() > kMostNext) next += " …";
  return words + (next.empty() ? std::string(tr("; none is free")) : tr_format("; the next to be handed out:{}", next));
}

struct Places {
  Rect tables_title, tables, pool_title, legend, pool;
};

Places divide(const PanelContext& context, Rect rest, float rows_height) {
  Places at;
  at.tables_title = layout::cut_top(rest, context.px(kTitle));
  at.tables = layout::cut_top(rest, std::max(rows_height, context.px(44)));
  layout::cut_top(rest, context.px(kLinkRoom));
  at.pool_title = layout::cut_top(rest, context.px(kTitle));
  at.legend = layout::cut_bottom(rest, context.px(26));
  layout::cut_bottom(rest, context.px(6));
  at.pool = rest;
  return at;
}

void hover(BlocksView& view, const Canvas& canvas) {
  Selection& selection = view.context.selection;
  if (!canvas.hovered) return;
  const layout::Point at = mouse();
  Target target;
  if (view.tables.contains(at)) {
    if (const auto row = layout::hit(view.rows, at)) {
      if (row->position)
        target = Target::token(row->request, *row->position);
      else if (row->block)
        target = Target::table(row->request, *row->block);
      else
        target = Target::of_request(row->request);
    }
  } else if (const auto hit = view.grid.hit(at)) {
    const bool owned = view.context.scene.picture.blocks[hit->block].holds();
    target = hit->offset && owned ? Target::slot(std::uint64_t{hit->block} * view.grid.block_size + *hit->offset)
                                  : Target::block(hit->block);
  }
  if (target) selection.hovered = target;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) view.context.actions.select(target);
}

/// What the pointer is on, in words.
void hover_tooltip(const BlocksView& view) {
  const World& world = view.world();
  const Resolved at = resolve(world, view.context.selection.hovered);
  if (!at.block) return;
  const layout::BlockPicture& block = view.context.scene.picture.blocks[*at.block];
  std::string words = tr_format("block {}", *at.block);
  if (at.request) {
    words += tr_format(" = logical block {} of {}: {} of {} slots filled", *at.logical, letter(*at.request),
                       block.filled, world.block_size);
    if (block.ref_count > 1) words += tr_format(", {} tables hold it", block.ref_count);
    if (at.position)
      words += "\n" + tr_format("position {} -> slot {}", *at.position,
                                std::uint64_t{*at.block} * world.block_size + *at.offset);
    if (at.position && *at.position < world.request(*at.request).tokens.size()) {
      words += "  \"" + layout::visible_token(world.text_of(world.request(*at.request).tokens[*at.position])) + "\"";
    }
  } else if (block.cached) {
    words += tr_format(": no request holds it; positions {} to {} of {} can still be found",
                       std::uint64_t{block.source_logical} * world.block_size,
                       std::uint64_t{block.source_logical} * world.block_size + block.filled - 1,
                       letter(RequestId{block.source}));
  } else {
    words += std::string(tr(": free"));
  }
  if (block.in_tree) words += "\n" + std::string(tr("the radix tree holds it"));
  if (block.locked) words += std::string(tr(", and its node is locked"));
  if (block.evicted) words += "\n" + std::string(tr("what was in it before was evicted in this step"));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(words.c_str());
  ImGui::EndTooltip();
}

void scroll(PanelContext& context, BlocksPanelState& state, const Canvas& canvas, const Rect& tables, float content) {
  const float most = std::max(0.0F, content - tables.height);
  if (canvas.hovered && tables.contains(mouse())) state.scroll -= ImGui::GetIO().MouseWheel * context.px(53);
  state.scroll = std::clamp(state.scroll, 0.0F, most);
}

void draw_scrollbar(Painter& painter, const Rect& tables, float scroll, float content) {
  if (content <= tables.height) return;
  const float length = tables.height * tables.height / content;
  const float top = tables.y + (tables.height - length) * scroll / (content - tables.height);
  painter.fill({tables.right() - painter.px(5), top, painter.px(4), length}, painter.theme().line, 2);
}

/// Where not all rows fit, those of requests that have ended give way to those that run or wait.
void leave_out_ended(std::vector<layout::RowInput>& inputs, const World& world) {
  const auto ended = [&world](const layout::RowInput& row) { return world.request(row.request).ended(); };
  if (std::all_of(inputs.begin(), inputs.end(), ended)) return;
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), ended), inputs.end());
}

/// The legend is the filter: a chip isolates its state.
void draw_legend(PanelContext& context, BlocksPanelState& state, Painter& painter, const Rect& line) {
  float x = line.x;
  for (const CellState cell : shown_states(context.scene.picture)) {
    const std::uint64_t count = count_state(context.scene.picture, cell);
    const std::string name(tr(cell_style(cell).name));
    const std::string label = fmt::format("{} {}", name, count);
    const float swatch = context.px(14), width = painter.measure(FontRole::small, label) + context.px(16);
    if (x + swatch + width + context.px(6) > line.right()) break;
    draw_sample(painter, {x, line.y + (line.height - swatch) / 2, swatch, swatch}, cell);
    ImGui::SetCursorScreenPos({x + swatch + context.px(2), line.y + context.px(2)});
    const bool on = state.isolated == cell;
    const Look look{.tooltip = meaning_of(cell)};
    if (chip(context.ui, fmt::format("state/{}", cell_style(cell).name), label, on, 0, look)) {
      state.isolated = on ? std::nullopt : std::optional(cell);
    }
    x += swatch + width + context.px(8);
  }
}

/// The contiguous pool: one row of slots in which each request holds a region.
void draw_arena(BlocksView& view) {
  const World& world = view.world();
  const Rect bar{view.pool.x, view.pool.y, view.pool.width, std::min(view.pool.height, view.painter.px(64))};
  view.painter.dashed(bar, view.painter.theme().outline, 4, 4);
  const float slot = bar.width / static_cast<float>(world.arena_slots);
  for (const auto& request : world.requests) {
    if (!request->region) continue;
    const Rect region{bar.x + slot * static_cast<float>(request->region->first_slot), bar.y,
                      slot * static_cast<float>(request->region->num_slots), bar.height};
    const OwnerColours colours = view.painter.theme().owner(value(request->id));
    view.painter.fill(region, with_alpha(colours.fill, 0.18F), 2);
    view.painter.fill({region.x, region.y, slot * static_cast<float>(request->computed_tokens), region.height},
                      colours.fill, 2);
    view.painter.outline(region, colours.fill, 1, 2);
    view.painter.text_if_fits(region, letter(request->id), view.painter.theme().text, FontRole::strong, Align::right);
  }
}

void draw_cells(BlocksView& view, BlocksPanelState& state) {
  const layout::PoolPicture& picture = view.context.scene.picture;
  std::vector<bool> dimmed;
  if (view.only || view.isolated) {
    dimmed.reserve(picture.blocks.size());
    for (const layout::BlockPicture& block : picture.blocks) dimmed.push_back(view.opacity_of(block) < 1);
  }
  Ui& ui = view.context.ui;
  state.texture.update(ui.textures, view.grid, picture, dimmed, ui.theme(), ui.look_version());
  state.texture.draw(view.painter.list(), view.grid);
  const Rect at = view.lit.block ? view.grid.block_rect(*view.lit.block) : Rect{};
  if (at.empty()) return;
  const float margin = view.painter.px(2);
  view.painter.outline({at.x - margin, at.y - margin, at.width + 2 * margin, at.height + 2 * margin},
                       view.painter.theme().text, 2, 2);
}

void draw_pool(BlocksView& view, BlocksPanelState& state) {
  if (view.grid.num_blocks == 0) {
    if (view.world().arena_slots > 0) return draw_arena(view);
    const std::string_view words = view.world().events == 0
                                       ? tr("The pool is drawn here once the run has made it. Press Space.")
                                       : tr("This run keeps no cache, so there is no pool: see the Work tab (key 2).");
    view.painter.text(view.pool, words, view.painter.theme().dim, FontRole::body, Align::centre);
    return;
  }
  const bool one_by_one = view.grid.detail == layout::Detail::tokens || view.grid.detail == layout::Detail::blocks;
  if (one_by_one)
    draw_pool_blocks(view);
  else
    draw_cells(view, state);
}

void draw_parts(BlocksView& view, BlocksPanelState& state, const Places& at, float content) {
  Painter& painter = view.painter;
  const World& world = view.world();
  draw_links(view, false);
  draw_title(painter, at.tables_title, tr("What each request sees"), tables_meaning(world));
  if (table_inputs(world).empty()) {
    const std::string_view words = world.requests.empty() ? tr("No request has arrived yet. Press Space to go on.")
                                                          : tr("All requests have ended: their blocks are given back.");
    painter.text(at.tables, words, painter.theme().dim);
  }
  draw_title(painter, at.pool_title, tr("Where it really lies: the pool"),
             world.blocks.empty() ? "" : pool_meaning(world, view.context.scene.picture));
  draw_tables(view);
  draw_scrollbar(painter, at.tables, state.scroll, content);
  draw_pool(view, state);
  draw_links(view, true);
  draw_spotlights(view);
  if (!world.blocks.empty()) draw_legend(view.context, state, painter, at.legend);
}

}  // namespace

void draw_blocks_panel(PanelContext& context, BlocksPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "blocks", "", dock, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!panel.visible()) return;
  const World& world = context.scene.world();
  const Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "blocks_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  const float most = (room.height - context.px(2 * kTitle + kLinkRoom)) * kLargestTablesShare;
  std::vector<layout::RowInput> inputs = table_inputs(world);
  const auto height_of = [&] {
    return layout::rows_height(inputs, world.block_size, room.width, most, context.ui.scale());
  };
  float content = height_of();
  if (content > most) {
    leave_out_ended(inputs, world);
    content = height_of();
  }
  const float row = inputs.empty() ? 1.0F : content / static_cast<float>(inputs.size());
  const float whole_rows = content <= most ? content : std::max(row, std::floor(most / row) * row);
  const Places at = divide(context, layout_rect(canvas), std::min(whole_rows, most));
  scroll(context, state, canvas, at.tables, content);
  BlocksView view{context,
                  painter,
                  canvas.id,
                  at.tables,
                  at.pool,
                  layout::table_rows(inputs, world.block_size, at.tables, state.scroll, context.ui.scale()),
                  layout::block_grid(static_cast<std::uint32_t>(world.blocks.size()), world.block_size, at.pool,
                                     context.ui.scale()),
                  {},
                  {},
                  {},
                  state.isolated};
  hover(view, canvas);
  view.lit = resolve(world, context.selection.lit());
  if (view.lit.node) {
    view.lit_node_blocks = world.radix[index(*view.lit.node)]->blocks;
    std::sort(view.lit_node_blocks.begin(), view.lit_node_blocks.end());
  }
  if (context.selection.selected.kind == Target::Kind::request) view.isolated = view.lit.request;

  draw_parts(view, state, at, content);
  if (canvas.hovered) hover_tooltip(view);
}

}  // namespace kvarium::ui
