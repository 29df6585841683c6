#pragma once
// The roofline's two logarithmic axes: FLOP a byte to the right, FLOP a second upwards.

#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// Powers of ten at the ends of an axis.
struct Decades {
  int low = 0, high = 1;
};

struct RooflineChart {
  Rect area;
  Decades x, y;

  /// Where (intensity, rate) is drawn; what lies outside is drawn at the edge. NaN and what is not positive: the
  /// lowest.
  Point place(double intensity, double rate) const;
  float x_of(double intensity) const;
  float y_of(double rate) const;
  bool inside(double intensity) const;  ///< not moved to an edge
};

/// FLOP a byte from 0.1 to 100,000; upwards five decades, the highest of them above the peak.
RooflineChart roofline_chart(const Rect& area, double flops_per_second);

/// The roof: from the left edge up to the ridge, then level to the right edge.
std::vector<Point> roof_line(const RooflineChart& chart, double flops_per_second, double bytes_per_second);

}  // namespace kvarium::ui::layout
