#pragma once
// Do counts come from a distribution? Pearson's test.

#include <cstdint>
#include <span>

namespace kvarium {

struct ChiSquare {
  double statistic = 0;  ///< sum over all cells of (counted - expected)^2 / expected
  std::uint32_t degrees = 0;
  /// How often counts that do come from the distribution would be at least as far from it: tiny means that they do not.
  double p_value = 1;
};

/// `probabilities` add up to 1; a cell that should never be met makes the p-value 0 when it was. MisuseError for other
/// lengths or no counts at all.
ChiSquare chi_square(std::span<const std::uint64_t> counts, std::span<const double> probabilities);

/// The probability that a chi-square variable of so many degrees of freedom exceeds x (Abramowitz and Stegun, 26.4.4
/// and 26.4.5). `degrees` at least 1.
double chi_square_tail(double x, std::uint32_t degrees);
/// The statistic whose p-value is this: what is larger is rarer. MisuseError for a p-value that is not between 0 and 1.
double chi_square_critical(double p_value, std::uint32_t degrees);

}  // namespace kvarium
