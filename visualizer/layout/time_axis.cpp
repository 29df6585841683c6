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

}  // namespace

double StepClock::time_of(std::uint64_t count) const {
  const auto next = std::upper_bound(step_starts.begin(), step_starts.end(), count);
  const auto step = static_cast<double>(next - step_starts.begin());
  const std::uint64_t begin = next == step_starts.begin() ? 0 : *(next - 1);
  const std::uint64_t end = next == step_starts.end() ? std::max(events, begin + 1) : *next;
  return step + static_cast<double>(std::min(count, end) - begin) / static_cast<double>(end - begin);
}

std::uint64_t StepClock::events_at(double time) const {
  if (time <= 0) return 0;
  if (time >= end()) return events;
  const auto step = static_cast<std::size_t>(time);
  const std::uint64_t begin = step == 0 ? 0 : step_starts[step - 1];
  const std::uint64_t stop = step < step_starts.size() ? step_starts[step] : events;
  if (stop <= begin) return begin;
  const double within = (time - static_cast<double>(step)) * static_cast<double>(stop - begin);
  return begin + static_cast<std::uint64_t>(std::llround(within));
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
