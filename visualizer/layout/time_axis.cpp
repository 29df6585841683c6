#include "visualizer/layout/time_axis.h"

#include <algorithm>
#include <cmath>

namespace kvarium::ui::layout {
namespace {

constexpr double kShortestWindow = 0.1;

void keep_inside(TimeAxis& axis, double length, double end) {
  length = std::clamp(length, kShortestWindow, std::max(kShortestWindow, end));
  axis.first = std::clamp(axis.first, 0.0, std::max(0.0, end - length));
  axis.last = axis.first + length;
}

/// The positions between which the events of the step lie; step 0: those before the first step.
std::pair<std::size_t, std::size_t> interval_of_step(const Trace& trace, std::uint64_t step) {
  const std::size_t begin = step == 0 ? 0 : trace.start_of_step(step);
  return {begin, step < trace.num_steps() ? trace.start_of_step(step + 1) : trace.size()};
}

}  // namespace

double time_of(const Trace& trace, std::size_t position) {
  const std::uint64_t step = trace.step_at(position);
  const auto [begin, end] = interval_of_step(trace, step);
  if (end <= begin) return static_cast<double>(step);
  return static_cast<double>(step) + static_cast<double>(position - begin) / static_cast<double>(end - begin);
}

std::size_t position_at(const Trace& trace, double time) {
  if (time <= 0) return 0;
  if (time >= end_of(trace)) return trace.size();
  const auto step = static_cast<std::uint64_t>(time);
  const auto [begin, end] = interval_of_step(trace, step);
  const double within = (time - static_cast<double>(step)) * static_cast<double>(end - begin);
  return begin + static_cast<std::size_t>(std::llround(within));
}

float TimeAxis::x_of(double time) const {
  return x + static_cast<float>((time - first) / (last - first) * static_cast<double>(width));
}

double TimeAxis::time_at(float at) const {
  return width <= 0 ? first : first + static_cast<double>((at - x) / width) * (last - first);
}

void TimeAxis::zoom(double factor, float around_x, double end) {
  const double anchor = time_at(around_x);
  const double length = std::clamp((last - first) * factor, kShortestWindow, std::max(kShortestWindow, end));
  const double share = width <= 0 ? 0.0 : static_cast<double>((around_x - x) / width);
  first = anchor - share * length;
  keep_inside(*this, length, end);
}

void TimeAxis::pan(double steps, double end) {
  const double length = last - first;
  first += steps;
  keep_inside(*this, length, end);
}

void TimeAxis::fit(double end) {
  first = 0;
  last = std::max(kShortestWindow, end);
}

double label_distance(const TimeAxis& axis, float pixels) {
  const double wanted =
      (axis.last - axis.first) * static_cast<double>(pixels) / std::max(1.0, static_cast<double>(axis.width));
  double ten = 1;
  while (ten * 10 <= wanted) ten *= 10;
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (ten * step >= wanted) return ten * step;
  }
  return ten * 10;
}

}  // namespace kvarium::ui::layout
