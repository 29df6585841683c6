#include "cpu_reference/operators/rope.h"

#include <cmath>
#include <vector>

namespace kvarium::cpu {
namespace {

/// Pairs (x[i], x[i + half]) of one head.
void rotate_halves(float* x, const float* cosines, const float* sines, Index half) {
  for (Index i = 0; i < half; ++i) {
    const float a = x[i], b = x[half + i];
    x[i] = a * cosines[i] - b * sines[i];
    x[half + i] = a * sines[i] + b * cosines[i];
  }
}

/// Pairs (x[2i], x[2i + 1]) of one head.
void rotate_interleaved(float* x, const float* cosines, const float* sines, Index half) {
  for (Index i = 0; i < half; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    x[2 * i] = a * cosines[i] - b * sines[i];
    x[2 * i + 1] = a * sines[i] + b * cosines[i];
  }
}

}  // namespace

void write_angles(std::span<const double> frequencies, std::int64_t first_position, std::uint32_t tokens, Index row,
                  RopeAngles& angles) {
  for (std::uint32_t t = 0; t < tokens; ++t) {
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      // In double: at position 100,000 a float angle is wrong by up to 0.004 radian.
      const double angle = static_cast<double>(first_position + t) * frequencies[i];
      angles.cosines(row + t, static_cast<Index>(i)) = static_cast<float>(std::cos(angle));
      angles.sines(row + t, static_cast<Index>(i)) = static_cast<float>(std::sin(angle));
    }
  }
}

RopeAngles rope_angles(std::int64_t first_position, std::uint32_t tokens, std::uint32_t rotary_dim, float theta) {
  if (rotary_dim == 0 || rotary_dim % 2 != 0) {
    throw MisuseError(
        fmt::format("rope: {} numbers are to be rotated, and pairs need an even number above 0", rotary_dim));
  }
  std::vector<double> frequencies;
  for (std::uint32_t i = 0; i < rotary_dim / 2; ++i) {
    frequencies.push_back(std::pow(double{theta}, -2.0 * i / rotary_dim));
  }
  const auto pairs = static_cast<Index>(frequencies.size());
  RopeAngles angles{Matrix(tokens, pairs), Matrix(tokens, pairs)};
  write_angles(frequencies, first_position, tokens, 0, angles);
  return angles;
}

void rope(MatrixInOut x, std::uint32_t head_dim, const RopeAngles& angles, RopePairs pairs) {
  const Index half = angles.cosines.cols();
  expect_shape(angles.cosines, x.rows(), half, "rope: cosines");
  expect_shape(angles.sines, x.rows(), half, "rope: sines");
  if (head_dim == 0 || x.cols() % head_dim != 0) {
    throw MisuseError(fmt::format("rope: {} columns are no whole number of heads of {}", x.cols(), head_dim));
  }
  if (half == 0 || 2 * half > Index{head_dim}) {
    throw MisuseError(fmt::format("rope: {} numbers to rotate in a head of {}", 2 * half, head_dim));
  }
  const auto rotate = pairs == RopePairs::interleaved ? rotate_interleaved : rotate_halves;
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index head = 0; head < x.cols(); head += head_dim) {
      rotate(x.row(t).data() + head, angles.cosines.row(t).data(), angles.sines.row(t).data(), half);
    }
  }
}

}  // namespace kvarium::cpu
