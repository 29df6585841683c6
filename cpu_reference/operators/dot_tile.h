#pragma once
// The inner loop of a linear layer for few tokens: the dot products of some rows of x with some rows of a weight.

#include <algorithm>

#include "cpu_reference/operators/weight_lanes.h"

namespace kvarium::cpu {

/// Rows of floats, `stride` numbers from one to the next.
struct Rows {
  const float* first;
  Index stride;

  const float* row(Index r) const { return first + r * stride; }
  Rows from(Index r) const { return {row(r), stride}; }
};

/// Rows of weights of some type, `stride` bytes from one to the next.
struct WeightRows {
  const std::byte* first;
  std::uint64_t stride;

  const std::byte* row(Index r) const { return first + static_cast<std::uint64_t>(r) * stride; }
};

/// Tells the memory to bring kBytes to the second-level cache. Returns their end.
template <std::size_t kBytes>
const std::byte* ask_for(const std::byte* first) {
  for (std::size_t b = 0; b < kBytes; b += 64) __builtin_prefetch(first + b, 0, 2);
  return first + kBytes;
}

/// sums[t * kOutputs + o] += the products of x's row t and the weight's row o, lane by lane: lane i adds columns i,
/// i + kLanes, i + 2 kLanes and so on, in this order, whatever kTokens and kOutputs are. So a sum has the same bits
/// however the work is cut into tiles. `Weight` is one of weight_lanes.h.
template <class Weight, int kTokens, int kOutputs>
void dot_tile(Rows x, WeightRows weight, Index columns, Lanes* sums) {
  Lanes tile[kTokens][kOutputs];  // in registers
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) tile[t][o] = sums[t * kOutputs + o];
  }
  const auto add = [&](Rows inputs, const auto& read) {
    for (int o = 0; o < kOutputs; ++o) {
      const StepLanes weights = read(weight.row(o));
      for (int t = 0; t < kTokens; ++t) {
        for (Index i = 0; i < kStep / kLanes; ++i) {
          tile[t][o] += weights.lanes[i] * load_lanes(inputs.row(t) + i * kLanes);
        }
      }
    }
  };
  Index c = 0;
  const std::byte* ahead = weight.row(kOutputs);
  for (; c + kStep <= columns; c += kStep) {
    if constexpr (kTokens == 1) ahead = ask_for<Weight::kBytesAhead * kOutputs>(ahead);
    add({x.first + c, x.stride}, [c](const std::byte* row) { return Weight::read(row, c); });
  }
  if (c < columns) {  // the rest and zeros
    float rest[kTokens][kStep] = {};
    for (int t = 0; t < kTokens; ++t) std::copy(x.row(t) + c, x.row(t) + columns, rest[t]);
    add({rest[0], kStep}, [c, columns](const std::byte* row) { return read_rest<Weight>(row, c, columns - c); });
  }
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) sums[t * kOutputs + o] = tile[t][o];
  }
}

}  // namespace kvarium::cpu
