#include "cpu_reference/operators/online_softmax.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kPiece = 64;  // scores that are copied at a time

using Numbers = Eigen::Map<Eigen::ArrayXf>;
using NumbersIn = Eigen::Map<const Eigen::ArrayXf>;

Numbers array_of(std::span<float> numbers) { return {numbers.data(), static_cast<Index>(numbers.size())}; }
NumbersIn array_of(std::span<const float> numbers) { return {numbers.data(), static_cast<Index>(numbers.size())}; }

/// exp(from - to) for maxima from <= to, of which `from` may be that of nothing. Without the first question, nothing
/// merged with nothing would be exp(-infinity + infinity), NaN.
float scale_between(float from, float to) { return from == OnlineSoftmax::kMasked ? 0.0F : std::exp(from - to); }

/// scores[j] becomes exp(scores[j] - max). Returns their sum.
float exponentials(std::span<float> scores, float max) {
  float sum = 0.0F;
  for (std::size_t first = 0; first < scores.size(); first += kPiece) {
    const auto piece = scores.subspan(first, std::min(kPiece, scores.size() - first));
    // A copy on a boundary: Eigen takes another exp for numbers in front of one, and starts sums at one, so that the
    // last bits would depend on where the scores lie.
    alignas(64) std::array<float, kPiece> copy;
    std::copy(piece.begin(), piece.end(), copy.begin());
    auto s = array_of(std::span(copy).first(piece.size()));
    s = (s - max).exp();
    // Eigen's fast exp is a little above 0 at -infinity.
    for (std::size_t j = 0; j < piece.size(); ++j) copy[j] = piece[j] == OnlineSoftmax::kMasked ? 0.0F : copy[j];
    std::copy_n(copy.begin(), piece.size(), piece.begin());
    sum += s.sum();
  }
  return sum;
}

void expect_width(const char* what, std::size_t given, std::size_t dim) {
  if (given != dim) throw MisuseError(fmt::format("online softmax: {} has {} numbers, expected {}", what, given, dim));
}

}  // namespace

void OnlineSoftmax::reset() {
  max = kMasked;
  sum = 0.0F;
  array_of(out).setZero();
}

void OnlineSoftmax::weigh(std::span<float> scores) {
  if (scores.empty()) return;
  auto s = array_of(scores);
  const float highest = s.maxCoeff<Eigen::PropagateNaN>();
  const float new_max = highest > max ? highest : max;
  if (std::isnan(highest) || std::isnan(max) || new_max == kInfinite) {
    max = sum = kNotANumber;
    s.setConstant(kNotANumber);
    array_of(out).setConstant(kNotANumber);
  } else if (highest == kMasked) {
    s.setZero();
  } else {
    const float scale = scale_between(max, new_max);
    if (scale != 1.0F) {
      sum *= scale;
      array_of(out) *= scale;
    }
    sum += exponentials(scores, new_max);
    max = new_max;
  }
}

void OnlineSoftmax::add(std::span<const float> scores, const float* values, std::size_t stride) {
  std::array<float, kPiece> weights;
  for (std::size_t first = 0; first < scores.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, scores.size() - first);
    std::copy_n(scores.begin() + static_cast<std::ptrdiff_t>(first), count, weights.begin());
    weigh(std::span(weights).first(count));
    for (std::size_t j = 0; j < count; ++j) {
      if (weights[j] == 0.0F) continue;  // 0 times what lies in a masked row may be NaN
      array_of(out) += weights[j] * array_of(std::span<const float>(values + (first + j) * stride, out.size()));
    }
  }
}

void OnlineSoftmax::merge(const OnlineSoftmax& other) {
  expect_width("the other state", other.out.size(), out.size());
  const float new_max = std::isnan(other.max) || other.max > max ? other.max : max;
  const float mine = scale_between(max, new_max);
  const float theirs = scale_between(other.max, new_max);
  sum = sum * mine + other.sum * theirs;
  array_of(out) = array_of(out) * mine + array_of(std::span<const float>(other.out)) * theirs;
  max = new_max;
}

float OnlineSoftmax::lse() const { return sum == 0.0F ? kMasked : max + std::log(sum); }

void OnlineSoftmax::finish(std::span<float> result) const {
  expect_width("the result", result.size(), out.size());
  if (sum == 0.0F) {
    array_of(result).setZero();
  } else {
    array_of(result) = array_of(std::span<const float>(out)) / sum;
  }
}

}  // namespace kvarium::cpu
