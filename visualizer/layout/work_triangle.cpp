#include "visualizer/layout/work_triangle.h"

#include <algorithm>
#include <cmath>

namespace kvarium::ui::layout {

WorkCell work_cell(const WorkRow& row, std::uint32_t position) {
  if (position >= row.first && position - row.first < row.count) {
    return row.kept ? WorkCell::kept : WorkCell::thrown_away;
  }
  return position < row.read_count ? WorkCell::read : WorkCell::none;
}

WorkCounts work_counts(std::span<const WorkRow> rows) {
  WorkCounts counts;
  for (const WorkRow& row : rows) {
    (row.kept ? counts.kept : counts.thrown_away) += row.count;
    std::uint64_t computed_and_read = 0;
    if (row.first < row.read_count) computed_and_read = std::min(row.count, row.read_count - row.first);
    counts.read += row.read_count - computed_and_read;
  }
  return counts;
}

std::span<const WorkRow> rows_until(std::span<const WorkRow> rows, std::uint64_t step) {
  const auto end =
      std::partition_point(rows.begin(), rows.end(), [step](const WorkRow& row) { return row.step <= step; });
  return rows.first(static_cast<std::size_t>(end - rows.begin()));
}

WorkGrid work_grid(std::uint32_t rows, std::uint32_t columns, const Rect& area, float scale) {
  WorkGrid grid;
  grid.area = area;
  if (rows == 0 || columns == 0 || area.empty()) return grid;
  const float by_width = area.width / static_cast<float>(columns), by_height = area.height / static_cast<float>(rows);
  grid.cell = std::floor(std::clamp(std::min(by_width, by_height), std::ceil(3 * scale), 30 * scale));
  grid.gap = grid.cell >= 8 * scale ? std::max(1.0F, std::round(2 * scale)) : 1.0F;
  const auto fits = [&](float length) { return std::max(1U, static_cast<std::uint32_t>(length / grid.cell)); };
  grid.rows = std::min(rows, fits(area.height));
  grid.columns = std::min(columns, fits(area.width));
  grid.first_row = rows - grid.rows;
  return grid;
}

Rect WorkGrid::cell_rect(std::uint32_t row, std::uint32_t column) const {
  if (row < first_row || row >= first_row + rows || column >= columns) return {};
  return {area.x + static_cast<float>(column) * cell, area.y + static_cast<float>(row - first_row) * cell, cell - gap,
          cell - gap};
}

}  // namespace kvarium::ui::layout
