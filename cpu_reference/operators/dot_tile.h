#pragma once
// The inner loop of a linear layer for few tokens: the dot products of some rows of x with some rows of a weight.

#include <algorithm>
#include <utility>

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

/// call(0), call(1), ... with constants: whatever they index can stay in registers.
template <Index... i, class Call>
void each_of(std::integer_sequence<Index, i...>, const Call& call) {
  (call(std::integral_constant<Index, i>()), ...);
}
template <Index kCount, class Call>
void each(const Call& call) {
  each_of(std::make_integer_sequence<Index, kCount>(), call);
}

/// Tells the memory to bring some bytes to the second-level cache.
inline void ask_for(const std::byte* first, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; b += 64) __builtin_prefetch(first + b, 0, 2);
}

/// sums[t * sum_stride + o] += the products of x's row t and the weight's row o, lane by lane: lane i adds columns i,
/// i + kLanes, i + 2 kLanes and so on, in this order, whatever kTokens and kOutputs are. So a sum has the same bits
/// however the work is cut into tiles. `Weight` is one of weight_lanes.h. Calls ask_ahead(i) in its i-th step, which
/// may ask the memory for what is needed next. Never inlined: between others of its kind GCC 12 keeps the sums in
/// memory.
template <class Weight, int kTokens, int kOutputs, class AskAhead>
void add_products(Rows x, WeightRows weight, Index columns, Lanes* sums, Index sum_stride, const AskAhead& ask_ahead) {
  Lanes tile[kTokens][kOutputs];  // in registers
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) tile[t][o] = sums[t * sum_stride + o];
  }
  const auto add = [&](Rows inputs, const auto& read) {
    each<kOutputs>([&](auto o) {
      const StepLanes weights = read(weight.row(o));
      each<kTokens>([&](auto t) {
        each<kStep / kLanes>([&](auto i) { tile[t][o] += weights.lanes[i] * load_lanes(inputs.row(t) + i * kLanes); });
      });
    });
  };
  Index c = 0;
  for (; c + kStep <= columns; c += kStep) {
    ask_ahead(c / kStep);
    add({x.first + c, x.stride}, [c](const std::byte* row) { return Weight::read(row, c); });
  }
  if (c < columns) {  // the rest and zeros
    float rest[kTokens][kStep] = {};
    for (int t = 0; t < kTokens; ++t) std::copy(x.row(t) + c, x.row(t) + columns, rest[t]);
    add({rest[0], kStep}, [c, columns](const std::byte* row) { return read_rest<Weight>(row, c, columns - c); });
  }
  for (int t = 0; t < kTokens; ++t) {
    for (int o = 0; o < kOutputs; ++o) sums[t * sum_stride + o] = tile[t][o];
  }
}

/// add_products(), never inlined: between others of its kind GCC 12 keeps the sums in memory.
template <class Weight, int kTokens, int kOutputs, class AskAhead>
[[gnu::noinline]] void dot_tile(Rows x, WeightRows weight, Index columns, Lanes* sums, Index sum_stride,
                                const AskAhead& ask_ahead) {
  add_products<Weight, kTokens, kOutputs>(x, weight, columns, sums, sum_stride, ask_ahead);
}

}  // namespace kvarium::cpu
