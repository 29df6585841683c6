#pragma once
// Cells side by side in one row, with a wider space after each group: the lanes of a warp, the words of a sector, the
// tokens of a block.

#include <cstddef>
#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// [count], as wide as `row` allows and at most `widest`; after each `group` cells (0: never) comes a space of
/// `space` pixels. Cells take all of the row's height. None when there is no room for cells of a pixel.
std::vector<Rect> grouped_cells(const Rect& row, std::size_t count, std::size_t group, float space, float widest);

}  // namespace kvarium::ui::layout
