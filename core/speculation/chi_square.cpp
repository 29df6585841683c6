#include "core/speculation/chi_square.h"

#include <cmath>
#include <cstddef>

#include "core/error.h"

namespace kvarium {

ChiSquare chi_square(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  if (counts.size() != probabilities.size()) throw MisuseError("each count needs a probability");
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  if (total == 0) throw MisuseError("nothing was counted");
  ChiSquare result;
  bool met_the_impossible = false;
  std::uint32_t cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0) {
      met_the_impossible = met_the_impossible || counts[i] > 0;
      continue;
    }
    const double expected = total * probabilities[i], off = static_cast<double>(counts[i]) - expected;
    result.statistic += off * off / expected;
    ++cells;
  }
  result.degrees = cells - 1;
  if (result.degrees > 0) result.p_value = chi_square_tail(result.statistic, result.degrees);
  if (met_the_impossible) result.p_value = 0;
  return result;
}

// Two degrees more add the term (x/2)^(n/2) e^(-x/2) / Gamma(n/2 + 1).
double chi_square_tail(double x, std::uint32_t degrees) {
  const double half = x / 2;
  const bool odd = degrees % 2 == 1;
  double tail = odd ? std::erfc(std::sqrt(half)) : std::exp(-half);
  for (std::uint32_t n = odd ? 1 : 2; n < degrees; n += 2) {
    const double power = n / 2.0;
    tail += std::exp(power * std::log(half) - half - std::lgamma(power + 1));
  }
  return tail;
}

// The tail falls with x. 60 halvings of an interval leave 2^-60 of it, less than a double can tell.
double chi_square_critical(double p_value, std::uint32_t degrees) {
  if (!(p_value > 0 && p_value < 1)) throw MisuseError("a p-value that is not between 0 and 1");
  double low = 0, high = 1;
  while (chi_square_tail(high, degrees) > p_value) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (chi_square_tail(middle, degrees) > p_value ? low : high) = middle;
  }
  return high;
}

}  // namespace kvarium
