#include "cpu_reference/evaluation/confidence.h"

#include <algorithm>
#include <cmath>

namespace kvarium::cpu {
namespace {

constexpr double kZ = 1.959963984540054;  ///< 95 % of a normal distribution lie within so many standard deviations

/// The variance of ratio() as an estimate, with N texts: sum (sum_i - ratio * count_i)^2 * N / (N - 1) / trials^2.
std::optional<double> variance_of_ratio(std::span<const TextSum> texts) {
  const double mean = ratio(texts), trials = total(texts, &TextSum::count);
  double squares = 0, used = 0;
  for (const TextSum& text : texts) {
    if (text.count == 0) continue;
    const double apart = text.sum - mean * text.count;
    squares += apart * apart;
    ++used;
  }
  if (used < 2) return std::nullopt;
  return squares * used / (used - 1) / (trials * trials);
}

}  // namespace

double total(std::span<const TextSum> texts, double TextSum::*field) {
  double sum = 0;
  for (const TextSum& text : texts) sum += text.*field;
  return sum;
}

double ratio(std::span<const TextSum> texts) {
  const double trials = total(texts, &TextSum::count);
  return trials == 0 ? 0 : total(texts, &TextSum::sum) / trials;
}

// With p the share of n trials: (p + z^2/2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2/n).
Interval wilson_interval(double successes, double trials) {
  if (trials <= 0) return {0, 1};
  const double p = successes / trials, z2 = kZ * kZ / trials;
  const double half = kZ * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials));
  return {std::max(0.0, (p + z2 / 2 - half) / (1 + z2)), std::min(1.0, (p + z2 / 2 + half) / (1 + z2))};
}

Interval share_interval(std::span<const TextSum> texts) {
  const double share = ratio(texts);
  double trials = total(texts, &TextSum::count);
  const std::optional<double> variance = variance_of_ratio(texts);
  if (variance && *variance > 0) trials = std::min(trials, share * (1 - share) / *variance);
  return wilson_interval(share * trials, trials);
}

std::optional<Interval> ratio_interval(std::span<const TextSum> texts) {
  const std::optional<double> variance = variance_of_ratio(texts);
  if (!variance) return std::nullopt;
  const double middle = ratio(texts), half = kZ * std::sqrt(*variance);
  return Interval{middle - half, middle + half};
}

}  // namespace kvarium::cpu
