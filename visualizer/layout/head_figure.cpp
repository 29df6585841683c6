#include "visualizer/layout/head_figure.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

constexpr float kSmallest = 3;  // pixels: smaller squares cannot be told apart

/// How the squares of a group and the groups themselves are arranged.
struct Form {
  std::uint32_t columns = 1;        ///< of squares in a group
  std::uint32_t group_columns = 1;  ///< of groups in the area
  float width = 0, height = 0;      ///< of a group with the space around it
};

/// The form with the fewest rows of groups in which everything fits; without columns when none does.
Form best_form(std::uint32_t a_group, std::uint32_t groups, const Rect& area, float side) {
  Form best{0, 0, 0, 0};
  std::uint32_t fewest = UINT32_MAX;
  for (std::uint32_t columns = 1; columns <= a_group; ++columns) {
    const float width = side * static_cast<float>(columns) + side * 0.5F;
    const std::uint32_t rows = (a_group + columns - 1) / columns;
    const float height = side * static_cast<float>(rows) + side * 1.6F;  // the box and the space below it
    const auto fit = static_cast<std::uint32_t>(std::max(0.0F, area.width / width));
    if (fit == 0) break;
    const std::uint32_t group_rows = (groups + fit - 1) / fit;
    if (height * static_cast<float>(group_rows) > area.height || group_rows >= fewest) continue;
    fewest = group_rows;
    best = {columns, std::min(fit, groups), width, height};
  }
  return best;
}

}  // namespace

HeadFigure head_figure(std::uint32_t query_heads, std::uint32_t stores, const Rect& area, float largest) {
  HeadFigure figure;
  if (stores == 0 || query_heads == 0 || query_heads % stores != 0 || area.empty()) return figure;
  const std::uint32_t a_group = query_heads / stores;
  Form form{0, 0, 0, 0};
  for (float side = std::floor(largest); side >= kSmallest && form.columns == 0; side -= 1) {
    form = best_form(a_group, stores, area, side);
    figure.side = side;
  }
  if (form.columns == 0) return {};
  const float gap = figure.side >= 8 ? 2 : 1, inner = figure.side - gap;
  const std::uint32_t rows = (a_group + form.columns - 1) / form.columns;
  for (std::uint32_t group = 0; group < stores; ++group) {
    const float x = area.x + form.width * static_cast<float>(group % form.group_columns);
    const float y = area.y + form.height * static_cast<float>(group / form.group_columns);
    for (std::uint32_t i = 0; i < a_group; ++i) {
      figure.queries.push_back({x + figure.side * static_cast<float>(i % form.columns),
                                y + figure.side * static_cast<float>(i / form.columns), inner, inner});
    }
    figure.stores.push_back({x, y + figure.side * static_cast<float>(rows),
                             figure.side * static_cast<float>(form.columns) - gap, figure.side});
  }
  return figure;
}

}  // namespace kvarium::ui::layout
