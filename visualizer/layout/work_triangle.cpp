#include "visualizer/layout/work_triangle.h"

#include <cmath>

namespace kvarium::ui::layout {

WorkCell WorkRow::cell(std::uint32_t position) const {
  if (position >= new_first && position - new_first < new_count) return kept ? WorkCell::kept : WorkCell::thrown_away;
  return position < read_count ? WorkCell::read : WorkCell::none;
}

void WorkHistory::append(const Event& event) {
  ++events_;
  if (const auto* started = std::get_if<StepStarted>(&event)) step_ = started->step;
  if (const auto* computed = std::get_if<KvComputed>(&event)) {
    WorkRow& to = row(computed->request);
    to.new_first = computed->first;
    to.new_count = computed->count;
    to.kept = computed->kept;
  }
  if (const auto* read = std::get_if<KvRead>(&event)) row(read->request).read_count = read->count;
}

WorkRow& WorkHistory::row(RequestId request) {
  if (index(request) >= rows_.size()) rows_.resize(index(request) + 1);
  std::vector<WorkRow>& rows = rows_[index(request)];
  if (rows.empty() || rows.back().step != step_) {
    rows.emplace_back();
    rows.back().step = step_;
  }
  rows.back().end_event = events_;
  return rows.back();
}

const std::vector<WorkRow>& WorkHistory::rows(RequestId request) const {
  static const std::vector<WorkRow> kNone;
  return index(request) < rows_.size() ? rows_[index(request)] : kNone;
}

void WorkHistory::clear() { *this = {}; }

WorkCounts work_counts(const std::vector<WorkRow>& rows, std::uint64_t events) {
  WorkCounts counts;
  for (const WorkRow& row : rows) {
    if (row.end_event > events) break;
    (row.kept ? counts.kept : counts.thrown_away) += row.new_count;
    std::uint64_t computed_among_read = 0;
    if (row.new_first < row.read_count) computed_among_read = std::min(row.new_count, row.read_count - row.new_first);
    counts.read += row.read_count - computed_among_read;
  }
  return counts;
}

WorkGrid work_grid(std::uint32_t rows, std::uint32_t columns, const Rect& area, float scale) {
  WorkGrid grid;
  grid.area = area;
  grid.columns = columns;
  if (rows == 0 || columns == 0 || area.empty()) return grid;
  const float by_width = area.width / static_cast<float>(columns), by_height = area.height / static_cast<float>(rows);
  grid.cell = std::max(3 * scale, std::min({by_width, by_height, 30 * scale}));
  if (grid.cell >= 2) grid.cell = std::floor(grid.cell);
  grid.gap = grid.cell >= 8 * scale ? std::max(1.0F, std::round(2 * scale)) : 1.0F;
  grid.rows = std::min(rows, std::max(1U, static_cast<std::uint32_t>(area.height / grid.cell)));
  grid.first_row = rows - grid.rows;
  return grid;
}

Rect WorkGrid::cell_rect(std::uint32_t row, std::uint32_t column) const {
  if (row < first_row || row >= first_row + rows || column >= columns) return {};
  return {area.x + static_cast<float>(column) * cell, area.y + static_cast<float>(row - first_row) * cell, cell - gap,
          cell - gap};
}

}  // namespace kvarium::ui::layout
