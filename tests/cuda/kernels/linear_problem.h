#pragma once
// linear on random numbers against double, and how far from it a result may be: for the emulated tests and for those on
// a device.

#include <cmath>
#include <cstring>
#include <vector>

#include "cuda/kernels/linear.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;

/// What is added to the products.
enum class Added { nothing, bias, y, both };

template <typename T, typename Out>
struct LinearProblem {
  LinearProblem(int num_tokens, int num_inputs, int num_outputs, Added what = Added::nothing)
      : tokens(num_tokens),
        inputs(num_inputs),
        outputs(num_outputs),
        has_bias(what == Added::bias || what == Added::both),
        adds(what == Added::y || what == Added::both),
        x(random_numbers<T>(count(tokens, inputs), 1)),
        weight(random_numbers<T>(count(outputs, inputs), 2)),
        bias(random_numbers<T>(count(outputs, 1), 3)),
        before(random_numbers<Out>(count(tokens, outputs), 4)) {}

  std::vector<Out> run(LinearRung rung) const {
    const DeviceBuffer<T> x_device(x, "x"), weight_device(weight, "weight"), bias_device(bias, "bias");
    DeviceBuffer<Out> y(before, "y");
    Stream stream;
    Linear<T, Out> data{x_device.ptr(), weight_device.ptr(), nullptr, y.ptr(), tokens, inputs, outputs, adds};
    if (has_bias) data.bias = bias_device.ptr();
    linear(rung, stream, data);
    stream.synchronize();
    return y.download();
  }

  /// How many times the allowed error the largest error is: right up to 1. Infinite for a NaN.
  double error(const std::vector<Out>& y) const {
    double most = 0;
    for (int t = 0; t < tokens; ++t) {
      for (int o = 0; o < outputs; ++o) {
        double sum = 0, sizes = 0;
        const auto add = [&](double product) { sum += product, sizes += std::fabs(product); };
        for (int i = 0; i < inputs; ++i)
          add(as_double(x[count(t, inputs, i)]) * as_double(weight[count(o, inputs, i)]));
        if (has_bias) add(as_double(bias[count(o, 1)]));
        if (adds) add(as_double(before[count(t, outputs, o)]));
        const double off = std::fabs(as_double(y[count(t, outputs, o)]) - sum);
        const double ratio = off == 0 ? 0 : off / (tolerance(sizes) + std::fabs(sum) * half_of_last_place<Out>());
        most = std::isfinite(ratio) ? std::fmax(most, ratio) : INFINITY;
      }
    }
    return most;
  }
  /// `sizes`: the sum of the sizes of what is added up. Each product takes part in at most `inputs` additions, and the
  /// bias and y add two: a rounding of 2^-24 each, or of 2^-23 in a matrix instruction, which cuts bits off.
  double tolerance(double sizes) const { return (inputs + 3) * 0x1p-23 * sizes; }

  static std::size_t count(int row, int columns, int column = 0) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }

  int tokens, inputs, outputs;
  bool has_bias, adds;
  std::vector<T> x, weight, bias;
  std::vector<Out> before;  ///< in y
};

/// Whether three heads of rows that are wider than all of them, with a bias each, give what each gives as a matrix of
/// its own, and leave what lies between their results alone.
template <typename T>
bool heads_agree(LinearRung rung, int tokens) {
  constexpr int kHeads = 3, kInputs = 16, kOutputs = 5;
  const LinearHeads heads{kHeads, kHeads * 24 + 8, kHeads * 7 + 1, 24, 7};
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  const std::vector<T> x = random_numbers<T>(size(tokens * heads.x_stride), 5),
                       before = random_numbers<T>(size(tokens * heads.y_stride), 6);
  std::vector<T> weights, biases, wanted = before;
  for (int h = 0; h < kHeads; ++h) {
    LinearProblem<T, T> alone(tokens, kInputs, kOutputs, Added::bias);
    alone.weight = random_numbers<T>(size(kOutputs * kInputs), 7 + static_cast<unsigned>(h));
    alone.bias = random_numbers<T>(size(kOutputs), 17 + static_cast<unsigned>(h));
    weights.insert(weights.end(), alone.weight.begin(), alone.weight.end());
    biases.insert(biases.end(), alone.bias.begin(), alone.bias.end());
    for (int i = 0; i < tokens * kInputs; ++i) {
      alone.x[size(i)] = x[size(i / kInputs * heads.x_stride + h * heads.x_head + i % kInputs)];
    }
    const std::vector<T> results = alone.run(rung);
    for (int i = 0; i < tokens * kOutputs; ++i) {
      wanted[size(i / kOutputs * heads.y_stride + h * heads.y_head + i % kOutputs)] = results[size(i)];
    }
  }
  const DeviceBuffer<T> x_device(x, "x"), weight_device(weights, "weight"), bias_device(biases, "bias");
  DeviceBuffer<T> y(before, "y");
  Stream stream;
  linear<T, T>(
      rung, stream,
      {x_device.ptr(), weight_device.ptr(), bias_device.ptr(), y.ptr(), tokens, kInputs, kOutputs, false, heads});
  stream.synchronize();
  const std::vector<T> got = y.download();
  return std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)) == 0;
}

}  // namespace kvarium_test
