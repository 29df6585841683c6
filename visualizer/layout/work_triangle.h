#pragma once
// What each step had to compute and what it could read from the cache: rows are steps, columns are positions. Without
// a cache the picture is a filled triangle; with one, only its edge is computed.

#include <cstdint>
#include <vector>

#include "core/trace/event.h"
#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

enum class WorkCell : std::uint8_t { none, thrown_away, kept, read };

/// One step of one request.
struct WorkRow {
  std::uint64_t step = 0;
  std::uint64_t end_event = 0;                 ///< the number of events after which the row is complete
  std::uint32_t new_first = 0, new_count = 0;  ///< positions whose K and V were computed
  bool kept = true;
  std::uint32_t read_count = 0;  ///< positions [0, read_count) were read

  WorkCell cell(std::uint32_t position) const;
};

/// The K and V of how many positions, summed over rows. What is computed in a step is not counted as read.
struct WorkCounts {
  std::uint64_t thrown_away = 0, kept = 0, read = 0;
  bool operator==(const WorkCounts&) const = default;
  std::uint64_t computed() const { return thrown_away + kept; }
};

/// Collects the rows from a trace, event by event.
class WorkHistory {
 public:
  void append(const Event& event);
  /// The rows of a request, oldest first; empty for a request that never ran.
  const std::vector<WorkRow>& rows(RequestId request) const;
  std::size_t requests() const { return rows_.size(); }
  void clear();

 private:
  WorkRow& row(RequestId request);

  std::vector<std::vector<WorkRow>> rows_;
  std::uint64_t step_ = 0;
  std::uint64_t events_ = 0;
};

/// Of the rows that are complete after `events` events.
WorkCounts work_counts(const std::vector<WorkRow>& rows, std::uint64_t events);

/// Cells of equal size for `rows` steps and `columns` positions.
struct WorkGrid {
  Rect area;
  float cell = 0, gap = 0;
  std::uint32_t first_row = 0;  ///< earlier rows do not fit and are left out
  std::uint32_t rows = 0, columns = 0;
  Rect cell_rect(std::uint32_t row, std::uint32_t column) const;
};
WorkGrid work_grid(std::uint32_t rows, std::uint32_t columns, const Rect& area, float scale);

}  // namespace kvarium::ui::layout
