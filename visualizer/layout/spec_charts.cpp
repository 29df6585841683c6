#include "visualizer/layout/spec_charts.h"

namespace kvarium::ui::layout {
namespace {

constexpr float kSpace = 0.28F;  // between the pairs, of a pair's width
constexpr double kRoomAbove = 1.08;

float share(double value, const Range& range) {
  const double width = range.high - range.low;
  if (!(width > 0)) return 0;
  return static_cast<float>(std::clamp((value - range.low) / width, 0.0, 1.0));
}

double largest(std::span<const double> values, double at_least) {
  for (const double value : values) at_least = std::max(at_least, value);
  return at_least;
}

}  // namespace

PairedBars paired_bars(const Rect& area, std::span<const double> counted, std::span<const double> expected) {
  PairedBars bars;
  const double top = std::max(largest(counted, 0), largest(expected, 0));
  const float each = area.width / static_cast<float>(std::max<std::size_t>(1, counted.size()));
  const float width = each * (1 - kSpace) / 2;
  const auto bar = [&](float x, double value) {
    const float height = area.height * share(value, {0, top});
    return Rect{x, area.bottom() - height, width, height};
  };
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const float x = area.x + each * static_cast<float>(i) + each * kSpace / 2;
    bars.counted.push_back(bar(x, counted[i]));
    bars.expected.push_back(bar(x + width, expected[i]));
  }
  return bars;
}

Point place_in(const Rect& area, const Range& across, double x, const Range& upwards, double y) {
  return {area.x + area.width * share(x, across), area.bottom() - area.height * share(y, upwards)};
}

Range range_of(std::span<const double> values) { return {0, kRoomAbove * largest(values, 1)}; }

}  // namespace kvarium::ui::layout
