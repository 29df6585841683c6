#pragma once
// Percentiles by the nearest rank: always a value that was really there, never one in between.

#include <vector>

namespace kvarium {

/// In the unit of the values: half of all were at most p50.
struct Percentiles {
  double p50 = 0, p90 = 0, p99 = 0;
  bool operator==(const Percentiles&) const = default;
};
/// All 0 for no values.
Percentiles percentiles(std::vector<double> values);

}  // namespace kvarium
