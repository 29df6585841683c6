#pragma once
// The horizontal axis of the timeline: steps of the engine, and where the events lie between them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace/trace.h"
#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// Where the moment after the first `position` events lies. Step s owns [s, s + 1); what comes before the first step
/// owns [0, 1). Between the borders of a step, its events lie at equal distances.
double time_of(const Trace& trace, std::size_t position);
/// The inverse, rounded to a whole event.
std::size_t position_at(const Trace& trace, double time);
/// Where the trace ends: the number of steps and one.
inline double end_of(const Trace& trace) { return static_cast<double>(trace.num_steps()) + 1.0; }

/// The visible window [first, last) of time, drawn over [x, x + width).
struct TimeAxis {
  double first = 0, last = 1;
  float x = 0, width = 1;

  float x_of(double time) const;
  double time_at(float at) const;
  /// `factor` below 1 zooms in; what lies under `around_x` stays there. The window stays within [0, end] and is never
  /// shorter than a tenth of a step.
  void zoom(double factor, float around_x, double end);
  void pan(double steps, double end);
  void fit(double end);
};

/// The items [begin, end) of a list, sorted by time and not overlapping, that are at least partly in the window.
/// `start` and `stop` give an item's interval.
template <typename Item, typename Start, typename Stop>
std::pair<std::size_t, std::size_t> visible(const std::vector<Item>& items, const TimeAxis& axis, Start start,
                                            Stop stop) {
  const auto first =
      std::partition_point(items.begin(), items.end(), [&](const Item& item) { return stop(item) <= axis.first; });
  const auto last = std::partition_point(first, items.end(), [&](const Item& item) { return start(item) < axis.last; });
  return {static_cast<std::size_t>(first - items.begin()), static_cast<std::size_t>(last - items.begin())};
}

/// A round distance between labels, in steps: 1, 2, 5, 10, 20, ..., so that labels are at least `pixels` apart.
double label_distance(const TimeAxis& axis, float pixels);

}  // namespace kvarium::ui::layout
