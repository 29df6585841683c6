#pragma once
// The small charts of the Spec tab: two bars side by side for each number of accepted drafts, and lines.

#include <span>
#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

struct PairedBars {
  std::vector<Rect> counted, expected;  ///< as many each, standing on the bottom of the area
};
/// As many values each; the largest of all is as high as the area. Without any above 0, bars of no height.
PairedBars paired_bars(const Rect& area, std::span<const double> counted, std::span<const double> expected);

/// An axis with a value at each end.
struct Range {
  double low = 0, high = 1;
};
/// Where (x, y) lies when the ranges span the area; what is outside lies at the edge.
Point place_in(const Rect& area, const Range& across, double x, const Range& upwards, double y);

/// The smallest range that holds 0, 1 and all values, with a little room above.
Range range_of(std::span<const double> values);

}  // namespace kvarium::ui::layout
