#pragma once
// softmax, argmax and sample on chosen logits, and what must come out: for the emulated tests and for those on a
// device.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/kernels/sampling.cuh"
#include "cuda/kernels/softmax.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;

template <typename T>
struct SoftmaxProblem {
  SoftmaxProblem(int num_rows, int num_columns, float degrees)
      : rows(num_rows),
        columns(num_columns),
        temperature(degrees),
        x(random_numbers<T>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 1)) {
    for (std::size_t i = 0; i < x.size(); i += 5) x[i] = from_float<T>(-INFINITY);  // masked
  }

  std::vector<T> run(SoftmaxRung rung) const {
    const DeviceBuffer<T> x_device(x, "x");
    DeviceBuffer<T> y(x.size(), "y");
    Stream stream;
    softmax<T>(rung, stream, x_device.ptr(), y.ptr(), temperature, rows, columns);
    stream.synchronize();
    return y.download();
  }

  /// How many times the allowed error the largest error is: right up to 1. Infinite for a NaN.
  double error(const std::vector<T>& y) const {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wanted = exact(i), off = std::fabs(as_double(y[i]) - wanted);
      const double ratio = off == 0 ? 0 : off / tolerance(wanted);
      most = std::isfinite(ratio) ? std::fmax(most, ratio) : INFINITY;
    }
    return most;
  }
  double exact(std::size_t i) const {
    const std::size_t first = i / static_cast<std::size_t>(columns) * static_cast<std::size_t>(columns);
    double largest = -INFINITY, sum = 0;
    for (int j = 0; j < columns; ++j) largest = std::fmax(largest, as_double(x[first + static_cast<std::size_t>(j)]));
    const auto weight = [&](std::size_t at) {
      const double number = as_double(x[at]);
      return number == -INFINITY ? 0.0 : std::exp((number - largest) / static_cast<double>(temperature));
    };
    for (int j = 0; j < columns; ++j) sum += weight(first + static_cast<std::size_t>(j));
    return sum == 0 ? 0 : weight(i) / sum;
  }
  /// The numbers are below 8 in size: a difference is below 16, and the quotient by the temperature below 16 / 0.5. Two
  /// roundings of the argument of exp change it by 2 * 32 * 2^-24, exp itself is wrong by 2 ulp; the sum has that error
  /// too and `columns` roundings, and rescaling it twice adds an exp each; then a division and T.
  double tolerance(double wanted) const {
    const double weight_error = (2 * 32 + 4) * 0x1p-24;
    const double smallest = std::is_same_v<T, f16> ? 0x1p-25 : 0x1p-149;
    return (4 * weight_error + (columns + 1) * 0x1p-24 + half_of_last_place<T>()) * wanted + smallest;
  }

  int rows, columns;
  float temperature;
  std::vector<T> x;
};

/// One row of logits a SampleParams.
struct SampleProblem {
  int vocab = 0;
  std::vector<float> logits;
  std::vector<SampleParams> params;

  int num_rows() const { return static_cast<int>(params.size()); }
  const float* row(std::size_t r) const { return logits.data() + r * static_cast<std::size_t>(vocab); }

  std::vector<int> sampled() const {
    const DeviceBuffer<float> logits_device(logits, "logits");
    const DeviceBuffer<SampleParams> params_device(params, "params");
    DeviceBuffer<int> tokens(params.size(), "tokens");
    Stream stream;
    sample<float>(stream, logits_device.ptr(), params_device.ptr(), tokens.ptr(), num_rows(), vocab);
    stream.synchronize();
    return tokens.download();
  }
  std::vector<int> largest(ArgmaxRung rung) const {
    const DeviceBuffer<float> logits_device(logits, "logits");
    DeviceBuffer<int> tokens(params.size(), "tokens");
    Stream stream;
    argmax<float>(rung, stream, logits_device.ptr(), tokens.ptr(), num_rows(), vocab);
    stream.synchronize();
    return tokens.download();
  }

  /// By sorting; the rows hold no NaN. Temperature 0: the largest.
  std::vector<int> expected() const {
    std::vector<int> tokens;
    for (std::size_t r = 0; r < params.size(); ++r) tokens.push_back(expected_of(row(r), params[r]));
    return tokens;
  }
  int expected_of(const float* own, const SampleParams& how) const {
    std::vector<int> ids(static_cast<std::size_t>(vocab));
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return own[a] > own[b]; });
    if (how.temperature == 0) return ids[0];
    const double best = static_cast<double>(own[ids[0]]);
    const auto weight = [&](int id) {
      return std::exp((static_cast<double>(own[id]) - best) / static_cast<double>(how.temperature));
    };
    if (how.top_k > 0 && how.top_k < ids.size()) ids.resize(how.top_k);
    double total = 0, reached = 0;
    for (const int id : ids) total += weight(id);
    std::size_t kept = 0;
    while (kept < ids.size() && reached < static_cast<double>(how.top_p) * total) reached += weight(ids[kept++]);
    if (how.top_p < 1) ids.resize(kept);
    std::sort(ids.begin(), ids.end());
    total = 0;
    for (const int id : ids) total += weight(id);
    reached = 0;
    for (const int id : ids) {
      reached += weight(id);
      if (reached > how.uniform * total) return id;
    }
    return ids.back();
  }
};

/// Rows that differ in temperature, top-k, top-p and the number that decides; some logits are equal, some -infinity.
inline SampleProblem mixed_samples(int vocab, unsigned rows) {
  SampleProblem problem{vocab, random_numbers<float>(static_cast<std::size_t>(vocab) * rows, 1), {}};
  for (std::size_t i = 0; i < problem.logits.size(); ++i) {
    float& logit = problem.logits[i];
    if (i / static_cast<std::size_t>(vocab) % 2 == 0) logit = std::round(logit * 2) / 2;
    if (i % static_cast<std::size_t>(vocab) % 7 == 3) logit = -INFINITY;
  }
  std::mt19937_64 random(5);
  for (unsigned r = 0; r < rows; ++r) {
    const float temperatures[] = {1.0F, 0.5F, 2.0F, 0.0F};
    const unsigned counts[] = {0, 1, 3, 40};
    const float shares[] = {1.0F, 0.9F, 0.3F};
    problem.params.push_back(
        {temperatures[r % 4], counts[r / 4 % 4], shares[r % 3], static_cast<double>(random() >> 11U) * 0x1p-53});
  }
  return problem;
}

}  // namespace kvarium_test
