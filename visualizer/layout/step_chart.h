#pragma once
// A line chart over steps, without ImGui.

#include <cstdint>
#include <span>
#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// Where step `step` of steps [0, steps) is drawn: the middle of its share of the width.
float step_x(std::uint64_t step, std::size_t steps, const Rect& area);

/// The line through `values`, one a step, from the bottom of the area (0) to its top (`top` > 0). A value holds for its
/// whole step, so the line is made of level pieces. Of many steps in one pixel the smallest and the largest are kept,
/// so that no peak gets lost: at most four points a pixel.
std::vector<Point> step_line(std::span<const double> values, double top, const Rect& area);

}  // namespace kvarium::ui::layout
