#include "visualizer/layout/grouped_cells.h"

namespace kvarium::ui::layout {

std::vector<Rect> grouped_cells(const Rect& row, std::size_t count, std::size_t group, float space, float widest) {
  if (count == 0) return {};
  const std::size_t spaces = group == 0 ? 0 : (count - 1) / group;
  const float room = row.width - space * static_cast<float>(spaces);
  const float width = std::min(widest, room / static_cast<float>(count));
  if (width < 1) return {};
  std::vector<Rect> cells;
  for (std::size_t i = 0; i < count; ++i) {
    const float before = group == 0 ? 0 : space * static_cast<float>(i / group);
    cells.push_back({row.x + width * static_cast<float>(i) + before, row.y, width, row.height});
  }
  return cells;
}

}  // namespace kvarium::ui::layout
