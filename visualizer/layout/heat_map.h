#pragma once
// A matrix as a grid of cells in an area: all of it, or enlarged a part of it.

#include <cstdint>
#include <optional>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// How a person looks at a heat map. Zoom 1 shows all of it; at higher zoom `corner` is in the upper left corner.
struct HeatView {
  float zoom = 1;
  Point corner;  ///< in cells: x column, y row
  bool operator==(const HeatView&) const = default;
};

struct HeatCell {
  std::uint32_t row = 0, column = 0;
  bool operator==(const HeatCell&) const = default;
};

struct HeatMap {
  Rect area;  ///< that the cells cover: no larger than the room that was given
  std::uint32_t rows = 0, columns = 0;
  float cell_width = 0, cell_height = 0;                                       ///< pixels, gap included
  Point corner;                                                                ///< as in HeatView, kept inside the map
  std::uint32_t first_row = 0, end_row = 0, first_column = 0, end_column = 0;  ///< that can be seen, in part at least

  /// Of any cell, also outside the area.
  Rect cell(std::uint32_t row, std::uint32_t column) const;
  Rect row_rect(std::uint32_t row) const;
  /// All cells, of which the area is a part.
  Rect whole() const;
  std::optional<HeatCell> hit(Point point) const;
};

/// `scale`: real pixels a logical pixel. With `square`, cells are as wide as high. At zoom 1 they are whole pixels
/// where they have several, so that neighbours are drawn alike.
HeatMap heat_map(std::uint32_t rows, std::uint32_t columns, const Rect& room, float scale, bool square,
                 const HeatView& view);
/// Zoomed by `factor` with the point where it is; `map` is what `view` shows.
HeatView zoomed(const HeatView& view, const HeatMap& map, Point around, float factor);
/// Moved so that the cell can be seen.
HeatView revealed(const HeatView& view, const HeatMap& map, HeatCell cell);

/// Every how many cells a label of `length` pixels fits, a round number: 1, 2, 5, 10, 20, ...
std::uint32_t label_stride(float cell, float length);

}  // namespace kvarium::ui::layout
