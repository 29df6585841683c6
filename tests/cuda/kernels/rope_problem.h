#pragma once
// rope on random numbers against double, and how far from it a result may be: for the emulated tests and for those on a
// device.

#include <cmath>
#include <vector>

#include "cuda/kernels/rope.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;

/// Heads of head_dim numbers, of which the last 2 * num_pairs are rotated (all, or a part as with latent attention).
template <typename T>
struct RopeProblem {
  RopeProblem(std::vector<int> token_positions, int num_heads, int dim, int rotated, RopePairs which)
      : positions(std::move(token_positions)), heads(num_heads), head_dim(dim), num_pairs(rotated / 2), pairs(which) {
    for (int i = 0; i < num_pairs; ++i) frequencies.push_back(std::pow(10000.0, -2.0 * i / rotated));
    x = random_numbers<T>(positions.size() * token_stride(), 1);
  }

  std::size_t token_stride() const { return static_cast<std::size_t>(heads) * static_cast<std::size_t>(head_dim); }
  int first() const { return head_dim - 2 * num_pairs; }  ///< of a head's numbers that is rotated

  bool fits_packs() const {
    return fits_rope_packs<T>({nullptr, 0, heads, heads * head_dim, head_dim}, num_pairs, pairs) &&
           kvarium::cuda::fits_packs<T>(first());
  }

  std::vector<T> run(RopeRung rung) const {
    const int tokens = static_cast<int>(positions.size());
    const std::size_t num_angles = positions.size() * static_cast<std::size_t>(num_pairs);
    const DeviceBuffer<int> positions_device(positions, "positions");
    const DeviceBuffer<double> frequencies_device(frequencies, "frequencies");
    DeviceBuffer<float> cosines(num_angles, "cosines"), sines(num_angles, "sines");
    DeviceBuffer<T> x_device(x, "x");
    Stream stream;
    rope_angles(stream, positions_device.ptr(), frequencies_device.ptr(), cosines.ptr(), sines.ptr(), tokens,
                num_pairs);
    rope<T>(rung, stream, {x_device.ptr() + first(), tokens, heads, heads * head_dim, head_dim},
            {cosines.ptr(), sines.ptr(), num_pairs}, pairs);
    stream.synchronize();
    return x_device.download();
  }

  /// How many times the allowed error the largest error is: right up to 1. Infinite for a NaN, and for a changed number
  /// that is not rotated.
  double error(const std::vector<T>& y) const {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double ratio = error_of(i, as_double(y[i]));
      most = std::isfinite(ratio) ? std::fmax(most, ratio) : INFINITY;
    }
    return most;
  }
  double error_of(std::size_t i, double got) const {
    const int place = static_cast<int>(i) % head_dim - first();  // among the rotated numbers
    if (place < 0) return got == as_double(x[i]) ? 0 : INFINITY;
    const bool halves = pairs == RopePairs::halves;
    const int pair = halves ? place % num_pairs : place / 2;
    const bool is_second = halves ? place >= num_pairs : place % 2 == 1;
    const std::size_t step = halves ? static_cast<std::size_t>(num_pairs) : 1;
    const double angle = positions[i / token_stride()] * frequencies[static_cast<std::size_t>(pair)];
    const double from_own = as_double(x[i]) * std::cos(angle);
    const double from_other =
        is_second ? as_double(x[i - step]) * std::sin(angle) : -as_double(x[i + step]) * std::sin(angle);
    const double wanted = from_own + from_other;
    // Each of two products is rounded, as are its cosine or sine before and the sum after: 2^-24 each.
    const double tolerance = 3 * 0x1p-24 * (std::fabs(from_own) + std::fabs(from_other)) +
                             std::fabs(wanted) * half_of_last_place<T>() + smallest();
    return std::fabs(got - wanted) / tolerance;
  }
  /// Half of the smallest number above 0.
  static double smallest() { return std::is_same_v<T, f16> ? 0x1p-25 : 0x1p-140; }

  std::vector<int> positions;
  int heads, head_dim, num_pairs;
  RopePairs pairs;
  std::vector<double> frequencies;
  std::vector<T> x;  ///< [tokens][heads][head_dim]
};

}  // namespace kvarium_test
