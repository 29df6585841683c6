#include "visualizer/layout/step_chart.h"

#include <algorithm>

namespace kvarium::ui::layout {

float step_x(std::uint64_t step, std::size_t steps, const Rect& area) {
  if (steps == 0) return area.x;
  const double share = (static_cast<double>(step) + 0.5) / static_cast<double>(steps);
  return area.x + area.width * static_cast<float>(std::min(share, 1.0));
}

std::vector<Point> step_line(std::span<const double> values, double top, const Rect& area) {
  std::vector<Point> points;
  if (values.empty() || area.empty() || top <= 0) return points;
  const auto y_of = [&](double value) {
    return area.bottom() - area.height * static_cast<float>(std::clamp(value / top, 0.0, 1.0));
  };
  const auto columns = std::min(values.size(), std::max<std::size_t>(1, static_cast<std::size_t>(area.width)));
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = column * values.size() / columns, end = (column + 1) * values.size() / columns;
    const auto part = values.subspan(first, end - first);
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    const float width = area.width / static_cast<float>(columns);
    const float left = area.x + width * static_cast<float>(column);
    points.push_back({left, y_of(part.front())});
    if (*low < *high) {
      points.push_back({left, y_of(*low)});
      points.push_back({left, y_of(*high)});
    }
    points.push_back({left + width, y_of(part.back())});
  }
  return points;
}

}  // namespace kvarium::ui::layout
