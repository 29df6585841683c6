#include "cpu_reference/operators/rope.h"

#include <cmath>

namespace kvarium::cpu {

RopeAngles rope_angles(std::uint32_t first_position, std::uint32_t tokens, std::uint32_t head_dim, float theta) {
  if (head_dim == 0 || head_dim % 2 != 0) {
    throw MisuseError(fmt::format("rope: head_dim is {}, and pairs need an even number above 0", head_dim));
  }
  const Index half = Index{head_dim} / 2;
  RopeAngles angles{Matrix(tokens, half), Matrix(tokens, half)};
  for (Index i = 0; i < half; ++i) {
    // In double: at position 100,000 a float angle is wrong by up to 0.004 radian.
    const double frequency = std::pow(double{theta}, -2.0 * static_cast<double>(i) / head_dim);
    for (Index t = 0; t < Index{tokens}; ++t) {
      const double angle = static_cast<double>(Index{first_position} + t) * frequency;
      angles.cosines(t, i) = static_cast<float>(std::cos(angle));
      angles.sines(t, i) = static_cast<float>(std::sin(angle));
    }
  }
  return angles;
}

void rope(MatrixInOut x, const RopeAngles& angles, RopePairs pairs) {
  const Index half = angles.cosines.cols();
  expect_shape(angles.cosines, x.rows(), half, "rope: cosines");
  expect_shape(angles.sines, x.rows(), half, "rope: sines");
  if (half == 0 || x.cols() % (2 * half) != 0) {
    throw MisuseError(fmt::format("rope: {} columns are no whole number of heads of {}", x.cols(), 2 * half));
  }
  const bool interleaved = pairs == RopePairs::interleaved;
  const Index step = interleaved ? 2 : 1;         // from pair i's first number to pair i + 1's
  const Index distance = interleaved ? 1 : half;  // from a pair's first number to its second
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index head = 0; head < x.cols(); head += 2 * half) {
      for (Index i = 0; i < half; ++i) {
        float& first = x(t, head + i * step);
        float& second = x(t, head + i * step + distance);
        const float a = first, b = second, cosine = angles.cosines(t, i), sine = angles.sines(t, i);
        first = a * cosine - b * sine;
        second = a * sine + b * cosine;
      }
    }
  }
}

}  // namespace kvarium::cpu
