#include "visualizer/layout/roofline_chart.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

/// Where the value lies between the ends, 0 to 1.
float share(double value, const Decades& axis) {
  if (!(value > 0)) return 0;
  const double place = (std::log10(value) - axis.low) / (axis.high - axis.low);
  return static_cast<float>(std::clamp(place, 0.0, 1.0));
}

}  // namespace

float RooflineChart::x_of(double intensity) const { return area.x + area.width * share(intensity, x); }
float RooflineChart::y_of(double rate) const { return area.bottom() - area.height * share(rate, y); }
Point RooflineChart::place(double intensity, double rate) const { return {x_of(intensity), y_of(rate)}; }

bool RooflineChart::inside(double intensity) const {
  return intensity >= std::pow(10.0, x.low) && intensity <= std::pow(10.0, x.high);
}

RooflineChart roofline_chart(const Rect& area, double flops_per_second) {
  constexpr int kRows = 5;
  const int top = flops_per_second > 0 ? static_cast<int>(std::floor(std::log10(flops_per_second))) + 1 : 1;
  return {area, {-1, 5}, {top - kRows, top}};
}

std::vector<Point> roof_line(const RooflineChart& chart, double flops_per_second, double bytes_per_second) {
  const double left = std::pow(10.0, chart.x.low), right = std::pow(10.0, chart.x.high);
  const double ridge = flops_per_second / bytes_per_second;
  std::vector<Point> line{chart.place(left, std::min(flops_per_second, left * bytes_per_second))};
  // Below the lowest rate that is drawn the slope starts where it crosses the edge.
  const double lowest = std::pow(10.0, chart.y.low);
  if (left * bytes_per_second < lowest) line.push_back(chart.place(lowest / bytes_per_second, lowest));
  line.push_back(chart.place(ridge, flops_per_second));
  line.push_back(chart.place(right, flops_per_second));
  return line;
}

}  // namespace kvarium::ui::layout
