#pragma once
// The inner loop of a linear layer for few tokens: dot products of some rows of x with some rows of a weight at once.

#include "cpu_reference/lanes.h"

namespace kvarium::cpu {

/// Rows of floats, `stride` numbers from one to the next.
struct Rows {
  const float* first;
  Index stride;
};

/// sums[t][o] += the products of x's row t and the weight's row o, lane by lane: lane i adds columns i, i + kLanes, ...
/// in this order, whatever kTokens and kOutputs are. So a sum has the same bits in every tiling of the work.
template <int kTokens, int kOutputs>
void dot_tile(Rows x, Rows weight, Index columns, Lanes* sums, Index sums_stride) {
  Lanes tile[kTokens][kOutputs];
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) tile[t][o] = sums[t * sums_stride + o];
  }
  const auto add = [&](const auto& load, Index c) {
    Lanes inputs[kTokens];
    for (int t = 0; t < kTokens; ++t) inputs[t] = load(x.first + t * x.stride + c);
    for (int o = 0; o < kOutputs; ++o) {
      const Lanes weights = load(weight.first + o * weight.stride + c);
      for (int t = 0; t < kTokens; ++t) tile[t][o] += weights * inputs[t];
    }
  };
  Index c = 0;
  for (; c + kLanes <= columns; c += kLanes) add([](const float* numbers) { return load_lanes(numbers); }, c);
  if (c < columns) add([&](const float* numbers) { return load_some_lanes(numbers, columns - c); }, c);
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) sums[t * sums_stride + o] = tile[t][o];
  }
}

}  // namespace kvarium::cpu
