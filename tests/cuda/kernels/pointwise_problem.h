#pragma once
// swiglu, gelu and embed on chosen numbers against double: for the emulated tests and for those on a device.

#include <cmath>
#include <vector>

#include "cuda/kernels/embed.cuh"
#include "cuda/kernels/swiglu.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;

template <typename T, FeedForward kind>
struct ActivationProblem {
  /// Small and large numbers of both signs.
  explicit ActivationProblem(std::size_t count) : gate(random_numbers<T>(count, 1)), up(random_numbers<T>(count, 2)) {
    for (std::size_t i = 0; i < count; i += 3) gate[i] = from_float<T>(to_float(gate[i]) * 30);
  }

  std::vector<T> run(ActivateRung rung) const {
    DeviceBuffer<T> gate_device(gate, "gate");
    const DeviceBuffer<T> up_device(up, "up");
    Stream stream;
    const auto count = static_cast<long long>(gate.size());
    if constexpr (kind == FeedForward::swiglu) swiglu<T>(rung, stream, gate_device.ptr(), up_device.ptr(), count);
    if constexpr (kind == FeedForward::gelu) gelu<T>(rung, stream, gate_device.ptr(), count);
    stream.synchronize();
    return gate_device.download();
  }

  double exact(std::size_t i) const {
    const double x = as_double(gate[i]);
    if (kind == FeedForward::swiglu) return x / (1 + std::exp(-x)) * as_double(up[i]);
    return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  }

  /// How many times the allowed error the largest error is: right up to 1. Infinite for a NaN.
  double error(const std::vector<T>& y) const {
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double wanted = exact(i);
      const double ratio = std::fabs(as_double(y[i]) - wanted) / tolerance(i, wanted);
      most = std::isfinite(ratio) ? std::fmax(most, ratio) : INFINITY;
    }
    return most;
  }
  /// An exponential or a tanh is wrong by up to 2 ulp of 2^-23 (CUDA C++ Programming Guide, "Mathematical Functions"),
  /// its argument and the operations around it by 2^-24 each. silu keeps these as relative errors. In gelu 1 + tanh
  /// cancels for negative numbers: the errors count against 2 there. Where exp overflows the result is 0 instead of at
  /// most 1e-36; an f16 has steps of 2^-24 at least.
  double tolerance(std::size_t i, double wanted) const {
    const double size = kind == FeedForward::swiglu ? std::fabs(wanted) : std::fabs(as_double(gate[i]));
    return 10 * 0x1p-24 * size + std::fabs(wanted) * half_of_last_place<T>() +
           (std::is_same_v<T, f16> ? 0x1p-25 : 1e-36);
  }

  std::vector<T> gate, up;
};

template <typename T>
struct EmbedProblem {
  EmbedProblem(std::vector<int> ids, int row_width)
      : tokens(std::move(ids)),
        width(row_width),
        table(random_numbers<T>(static_cast<std::size_t>(kVocab) * static_cast<std::size_t>(width), 1)) {}

  std::vector<T> run(EmbedRung rung) const {
    const DeviceBuffer<T> table_device(table, "table");
    const DeviceBuffer<int> tokens_device(tokens, "tokens");
    DeviceBuffer<T> x(tokens.size() * static_cast<std::size_t>(width), "x");
    Stream stream;
    embed<T>(rung, stream,
             {table_device.ptr(), tokens_device.ptr(), x.ptr(), static_cast<int>(tokens.size()), kVocab, width});
    stream.synchronize();
    return x.download();
  }

  bool is_right(const std::vector<T>& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto columns = static_cast<std::size_t>(width);
      const T wanted = table[static_cast<std::size_t>(tokens[i / columns]) * columns + i % columns];
      if (to_float(x[i]) != to_float(wanted)) return false;
    }
    return x.size() == tokens.size() * static_cast<std::size_t>(width);
  }

  static constexpr int kVocab = 20;
  std::vector<int> tokens;
  int width;
  std::vector<T> table;
};

}  // namespace kvarium_test
