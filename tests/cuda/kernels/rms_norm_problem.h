#pragma once
// rms_norm on random rows against double, and how far from it a result may be: for the emulated tests and for those on
// a device.

#include <cmath>
#include <vector>

#include "cuda/kernels/rms_norm.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;

/// x: [tokens][width], weight: [width], all of them numbers of T.
template <typename T>
struct RmsNormProblem {
  static constexpr float kEpsilon = 1e-5F;

  RmsNormProblem(int num_tokens, int row_width)
      : tokens(num_tokens),
        width(row_width),
        x(random_numbers<T>(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(width), 1)),
        weight(random_numbers<T>(static_cast<std::size_t>(width), 2)) {}

  std::vector<T> run(RmsNormRung rung) const {
    const DeviceBuffer<T> x_device(x, "x"), weight_device(weight, "weight");
    DeviceBuffer<T> y(x.size(), "y");
    Stream stream;
    rms_norm<T>(rung, stream, x_device.ptr(), weight_device.ptr(), kEpsilon, y.ptr(), tokens, width);
    stream.synchronize();
    return y.download();
  }

  double exact(int token, int column) const {
    const auto at = [&](int i) {
      return as_double(
          x[static_cast<std::size_t>(token) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)]);
    };
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += at(i) * at(i);
    return as_double(weight[static_cast<std::size_t>(column)]) * at(column) /
           std::sqrt(sum / width + static_cast<double>(kEpsilon));
  }

  /// The largest relative error of `y`; infinite for a NaN. Below the smallest normal f16 the places of a number are
  /// fewer: errors count against that at least.
  double error(const std::vector<T>& y) const {
    const double smallest = std::is_same_v<T, f16> ? 0x1p-14 : 1e-30;
    double most = 0;
    for (int i = 0; i < tokens * width; ++i) {
      const double wanted = exact(i / width, i % width);
      const double got = as_double(y[static_cast<std::size_t>(i)]);
      if (!std::isfinite(got)) return INFINITY;
      most = std::fmax(most, std::fabs(got - wanted) / std::fmax(std::fabs(wanted), smallest));
    }
    return most;
  }

  /// A sum of `width` squares, one after another: each of them is rounded at most `width` times, by 2^-24 each. The
  /// root halves that. The mean, the root, its reciprocal and two products add a rounding each, and a device's
  /// reciprocal root is wrong by up to 2 more (CUDA C++ Programming Guide, "Mathematical Functions"). Then T rounds by
  /// half of its last place.
  double tolerance() const { return (width / 2.0 + 8) * 0x1p-24 + half_of_last_place<T>(); }

  int tokens, width;
  std::vector<T> x, weight;
};

}  // namespace kvarium_test
