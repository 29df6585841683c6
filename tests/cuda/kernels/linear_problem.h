#pragma once
// linear on random numbers against double, and how far from it a result may be: for the emulated tests and for those on
// a device.

#include <cmath>
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

}  // namespace kvarium_test
