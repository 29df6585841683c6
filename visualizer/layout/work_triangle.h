#pragma once
// What each step had to compute and what it could read from the cache: rows are steps, columns are positions. Without
// a cache the picture is a filled triangle; with one, only its edge is computed.

#include <cstdint>
#include <span>

#include "core/trace/timeline.h"
#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

enum class WorkCell : std::uint8_t { none, thrown_away, kept, read };

/// What a step did with the K and V of a position.
WorkCell work_cell(const WorkRow& row, std::uint32_t position);

/// The K and V of how many positions, summed over rows. What is computed in a step is not counted as read.
struct WorkCounts {
  std::uint64_t thrown_away = 0, kept = 0, read = 0;
  bool operator==(const WorkCounts&) const = default;
  std::uint64_t computed() const { return thrown_away + kept; }
};
WorkCounts work_counts(std::span<const WorkRow> rows);
/// The rows of steps up to `step`, that one included.
std::span<const WorkRow> rows_until(std::span<const WorkRow> rows, std::uint64_t step);

/// Cells of equal size for `rows` steps and `columns` positions.
struct WorkGrid {
  Rect area;
  float cell = 0, gap = 0;
  std::uint32_t first_row = 0;  ///< earlier rows do not fit and are left out
  std::uint32_t rows = 0;       ///< that fit
  std::uint32_t columns = 0;    ///< that fit
  Rect cell_rect(std::uint32_t row, std::uint32_t column) const;
};
WorkGrid work_grid(std::uint32_t rows, std::uint32_t columns, const Rect& area, float scale);

}  // namespace kvarium::ui::layout
