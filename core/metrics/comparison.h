#pragma once
// Two runs of the same requests side by side: what the other policy changed, number by number.

#include <cstdint>
#include <string>
#include <vector>

#include "core/metrics/summary.h"

namespace kvarium {

/// One number of both runs.
struct ComparedRow {
  std::string name;
  std::string left, right;
  std::string delta;  ///< right minus left with its sign, "+3" or "-2.5 %"; empty: they are equal
  bool operator==(const ComparedRow&) const = default;
};

/// `steps`: of each run as a whole, which may have ended before the moment of the other.
std::vector<ComparedRow> compare(const MetricsSummary& left, std::uint64_t left_steps, const MetricsSummary& right,
                                 std::uint64_t right_steps);
/// A table with a line a row: name, left, right, delta.
std::string comparison_text(const std::vector<ComparedRow>& rows, const std::string& left_title,
                            const std::string& right_title);

}  // namespace kvarium
