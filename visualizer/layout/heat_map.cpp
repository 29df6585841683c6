#include "visualizer/layout/heat_map.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

constexpr float kLargestFit = 44;   // logical pixels of a cell when all is shown
constexpr float kLargestCell = 96;  // and when it is enlarged
constexpr float kLargestZoom = 64;

/// Whole pixels where a cell has some: neighbours are alike then.
float crisp(float cell) { return cell >= 3 ? std::floor(cell) : cell; }

struct Extent {
  float corner = 0, length = 0;
  std::uint32_t first = 0, end = 0;
};

/// One direction: `count` cells of `cell` pixels in `room`, from cell `corner` on.
Extent extent(std::uint32_t count, float cell, float room, float corner) {
  const float cells = room / cell;
  const float last = std::max(0.0F, static_cast<float>(count) - cells);
  Extent result;
  result.corner = std::clamp(corner, 0.0F, last);
  result.length = std::min(room, static_cast<float>(count) * cell);
  result.first = static_cast<std::uint32_t>(result.corner);
  result.end = std::min(count, static_cast<std::uint32_t>(std::ceil(result.corner + result.length / cell)));
  return result;
}

float moved_into(float corner, float visible, std::uint32_t cell) {
  const auto at = static_cast<float>(cell);
  return std::clamp(corner, at + 1 - visible, at);
}

}  // namespace

Rect HeatMap::cell(std::uint32_t row, std::uint32_t column) const {
  return {area.x + (static_cast<float>(column) - corner.x) * cell_width,
          area.y + (static_cast<float>(row) - corner.y) * cell_height, cell_width, cell_height};
}

Rect HeatMap::row_rect(std::uint32_t row) const { return {area.x, cell(row, 0).y, area.width, cell_height}; }

Rect HeatMap::whole() const {
  const Rect first = cell(0, 0);
  return {first.x, first.y, static_cast<float>(columns) * cell_width, static_cast<float>(rows) * cell_height};
}

std::optional<HeatCell> HeatMap::hit(Point point) const {
  if (!area.contains(point)) return std::nullopt;
  const auto row = static_cast<std::uint32_t>((point.y - area.y) / cell_height + corner.y);
  const auto column = static_cast<std::uint32_t>((point.x - area.x) / cell_width + corner.x);
  if (row >= rows || column >= columns) return std::nullopt;
  return HeatCell{row, column};
}

HeatMap heat_map(std::uint32_t rows, std::uint32_t columns, const Rect& room, float scale, bool square,
                 const HeatView& view) {
  HeatMap map;
  map.rows = rows;
  map.columns = columns;
  map.area = {room.x, room.y, 0, 0};
  if (rows == 0 || columns == 0 || room.empty()) return map;
  float width = std::min(room.width / static_cast<float>(columns), kLargestFit * scale);
  float height = std::min(room.height / static_cast<float>(rows), kLargestFit * scale);
  if (square) width = height = std::min(width, height);
  width = crisp(width);
  height = crisp(height);
  const float zoom = std::max(1.0F, view.zoom);
  map.cell_width = std::min(width * zoom, std::max(width, kLargestCell * scale));
  map.cell_height = std::min(height * zoom, std::max(height, kLargestCell * scale));
  const Extent across = extent(columns, map.cell_width, room.width, view.corner.x);
  const Extent down = extent(rows, map.cell_height, room.height, view.corner.y);
  map.area = {room.x, room.y, across.length, down.length};
  map.corner = {across.corner, down.corner};
  map.first_row = down.first;
  map.end_row = down.end;
  map.first_column = across.first;
  map.end_column = across.end;
  return map;
}

HeatView zoomed(const HeatView& view, const HeatMap& map, Point around, float factor) {
  HeatView result = view;
  result.zoom = std::clamp(view.zoom * factor, 1.0F, kLargestZoom);
  if (map.cell_width <= 0 || map.cell_height <= 0) return result;
  // Cells that lie left of (above) the point; after the zoom as many pixels lie there as before.
  const float across = (around.x - map.area.x) / map.cell_width, down = (around.y - map.area.y) / map.cell_height;
  const float ratio = result.zoom / view.zoom;
  result.corner = {std::max(0.0F, map.corner.x + across - across / ratio),
                   std::max(0.0F, map.corner.y + down - down / ratio)};
  return result;
}

HeatView revealed(const HeatView& view, const HeatMap& map, HeatCell cell) {
  if (map.cell_width <= 0 || map.cell_height <= 0) return view;
  HeatView result = view;
  result.corner = {moved_into(map.corner.x, std::max(1.0F, map.area.width / map.cell_width), cell.column),
                   moved_into(map.corner.y, std::max(1.0F, map.area.height / map.cell_height), cell.row)};
  return result;
}

std::uint32_t label_stride(float cell, float length) {
  if (!(cell > 0)) return 1;
  for (std::uint32_t decade = 1; decade < 100000000; decade *= 10) {
    for (const std::uint32_t step : {1U, 2U, 5U}) {
      if (static_cast<float>(step * decade) * cell >= length) return step * decade;
    }
  }
  return 100000000;
}

}  // namespace kvarium::ui::layout
