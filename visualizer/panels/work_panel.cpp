#include "visualizer/panels/work_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "visualizer/draw/cell.h"
#include "visualizer/layout/work_triangle.h"

namespace kvarium::ui {
namespace {

using layout::Rect;
using layout::WorkCell;

constexpr std::size_t kMostColumns = 3;
constexpr float kHeader = 76, kAxis = 34, kBars = 164, kBarName = 150, kBarNumber = 120;

void draw_work_cell(Painter& painter, const Rect& cell, WorkCell what, const OwnerColours& colours) {
  switch (what) {
    case WorkCell::none:
      painter.fill(cell, painter.theme().grid, 1);
      break;
    case WorkCell::read:
      painter.fill(cell, with_alpha(colours.fill, 0.28F), 1);
      break;
    case WorkCell::kept:
      painter.fill(cell, colours.fill, 1);
      break;
    case WorkCell::thrown_away:
      painter.fill(cell, colours.fill, 1);
      if (cell.width < painter.px(5)) break;
      painter.line({cell.x, cell.y}, {cell.right(), cell.bottom()}, colours.text, 1.2F);
      painter.line({cell.right(), cell.y}, {cell.x, cell.bottom()}, colours.text, 1.2F);
  }
}

/// The steps and positions that the whole run will have, so that the picture does not shrink while it plays.
struct Extent {
  std::uint32_t steps = 1, positions = 1;
};
Extent extent_of(const Scene& scene) {
  Extent extent;
  for (std::uint32_t i = 0; i < scene.timeline.num_requests(); ++i) {
    for (const WorkRow& row : scene.timeline.work_rows(RequestId{i})) {
      extent.steps = std::max(extent.steps, row.step);
      extent.positions = std::max({extent.positions, row.first + row.count, row.read_count});
    }
  }
  return extent;
}

void draw_counts(PanelContext& context, Painter& painter, Rect head, RequestId id, const layout::WorkCounts& counts) {
  const Theme& theme = painter.theme();
  Rect line = layout::cut_top(head, context.px(28));
  const Rect chip = layout::cut_left(line, context.px(26));
  draw_letter(painter, chip.inset(context.px(1)), id);
  layout::cut_left(line, context.px(8));
  const bool throws = counts.thrown_away > 0;
  painter.text(line, throws ? tr("without a cache: everything again") : tr("with a cache: each token once"), theme.text,
               FontRole::strong);
  line = layout::cut_top(head, context.px(24));
  const std::string sum =
      tr_format("computed {}   read from the cache {}", with_commas(counts.computed()), with_commas(counts.read));
  painter.text(line, sum, theme.text, FontRole::mono);
  const std::string id_text = fmt::format("work/{}", letter(id));
  context.ui.registry.add_rect(id_text, "text", sum, fmt::format("{} {}", counts.computed(), counts.read), 0,
                               screen_rect(line));
}

void draw_axes(Painter& painter, const layout::WorkGrid& grid, const Extent& extent) {
  const Theme& theme = painter.theme();
  const Rect first = grid.cell_rect(grid.first_row, 0);
  const Rect top{grid.area.x, grid.area.y - painter.px(18), grid.area.width, painter.px(16)};
  painter.text(top, tr("position in the text ->"), theme.dim, FontRole::small);
  for (std::uint32_t row = grid.first_row; row < extent.steps; ++row) {
    const bool labelled = first.height >= painter.line_height(FontRole::small) || row % 5 == 4 || row == grid.first_row;
    if (!labelled) continue;
    const Rect cell = grid.cell_rect(row, 0);
    if (cell.empty()) break;
    const float middle = cell.centre().y - painter.px(7);
    painter.text({cell.x - painter.px(kAxis), middle, painter.px(kAxis - 6), painter.px(14)}, std::to_string(row + 1),
                 theme.dim, FontRole::small, Align::right);
  }
}

void draw_triangle(PanelContext& context, Painter& painter, Rect area, RequestId id, const Extent& extent) {
  const std::uint64_t step = context.scene.world().step;
  const auto rows = layout::rows_until(context.scene.timeline.work_rows(id), step);
  draw_counts(context, painter, layout::cut_top(area, context.px(kHeader)), id, layout::work_counts(rows));
  layout::cut_left(area, context.px(kAxis));
  const layout::WorkGrid grid = layout::work_grid(extent.steps, extent.positions, area, context.ui.scale());
  draw_axes(painter, grid, extent);
  const OwnerColours colours = painter.theme().owner(value(id));
  for (const WorkRow& row : rows) {
    if (row.step == 0) continue;
    for (std::uint32_t column = 0; column < std::min(grid.columns, std::max(row.read_count, row.first + row.count));
         ++column) {
      draw_work_cell(painter, grid.cell_rect(row.step - 1, column), layout::work_cell(row, column), colours);
    }
  }
  if (step == 0 || rows.empty() || rows.back().step != step) return;
  const Rect start = grid.cell_rect(static_cast<std::uint32_t>(step) - 1, 0);
  const Rect now{start.x - context.px(2), start.y - context.px(2),
                 grid.cell * static_cast<float>(grid.columns) + context.px(2), grid.cell + context.px(2)};
  if (!start.empty()) painter.outline(now, painter.theme().text, 1, 2);
}

/// One bar a request, all to one scale: the sum so far of something that the engine counted.
void draw_bar_group(PanelContext& context, Painter& painter, Rect& rest, std::string_view name,
                    std::uint64_t Work::*count) {
  const World& world = context.scene.world();
  std::uint64_t most = 1;
  for (const auto& request : world.requests) most = std::max(most, (*request).work.*count);
  const std::size_t shown = std::min(world.requests.size(), kMostColumns);
  for (std::size_t i = 0; i < shown; ++i) {
    const RequestState& request = *world.requests[i];
    Rect line = layout::cut_top(rest, context.px(22));
    const Rect label = layout::cut_left(line, context.px(kBarName));
    if (i == 0) painter.text(label, name, painter.theme().dim, FontRole::small);
    Rect bar = line;
    bar.width = std::max(0.0F, line.width - context.px(kBarNumber));
    const auto share = static_cast<float>(static_cast<double>(request.work.*count) / static_cast<double>(most));
    bar.width *= share;
    painter.fill({bar.x, bar.y + context.px(3), std::max(bar.width, 1.0F), bar.height - context.px(6)},
                 painter.theme().owner(i).fill, 2);
    const Rect number{bar.x + bar.width + context.px(8), line.y, context.px(kBarNumber), line.height};
    painter.text(number, fmt::format("{} {}", letter(request.id), with_commas(request.work.*count)),
                 painter.theme().text, FontRole::mono);
  }
  layout::cut_top(rest, context.px(8));
}

void draw_bars(PanelContext& context, Painter& painter, Rect rest) {
  const Rect title = layout::cut_top(rest, context.px(26));
  painter.text(title, tr("The work so far, counted by the code that did it"), painter.theme().text, FontRole::strong);
  draw_bar_group(context, painter, rest, tr("K and V computed"), &Work::kv_projections);
  draw_bar_group(context, painter, rest, tr("scores (q · k products)"), &Work::score_products);
}

void draw_key(Painter& painter, Rect line) {
  const OwnerColours colours = painter.theme().owner(7);  // grey: the key is for every request
  const auto entry = [&](WorkCell what, std::string_view words) {
    const float side = painter.px(14);
    draw_work_cell(painter, {line.x, line.y + (line.height - side) / 2, side, side}, what, colours);
    layout::cut_left(line, side + painter.px(6));
    layout::cut_left(line, painter.text(line, words, painter.theme().dim, FontRole::small) + painter.px(20));
  };
  entry(WorkCell::thrown_away, tr("computed, used once, thrown away"));
  entry(WorkCell::kept, tr("computed and kept"));
  entry(WorkCell::read, tr("read from the cache"));
}

}  // namespace

void draw_work_panel(PanelContext& context, const layout::Rect& dock) {
  Panel panel(context, "work", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  const std::size_t requests = std::min(context.scene.world().requests.size(), context.scene.timeline.num_requests());
  if (requests == 0)
    return empty_state(context, "work_empty", "What each step computes is drawn here.\nPress Space to start.");
  const Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "work_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  Rect rest = layout_rect(canvas);
  draw_key(painter, layout::cut_bottom(rest, context.px(24)));
  draw_bars(context, painter, layout::cut_bottom(rest, context.px(kBars)));
  const std::size_t columns = std::min(requests, kMostColumns);
  const float width = rest.width / static_cast<float>(columns);
  const Extent extent = extent_of(context.scene);
  for (std::size_t i = 0; i < columns; ++i) {
    Rect column{rest.x + width * static_cast<float>(i), rest.y, width - context.px(16), rest.height};
    draw_triangle(context, painter, column, RequestId{static_cast<std::uint32_t>(i)}, extent);
  }
}

}  // namespace kvarium::ui
