#pragma once
// Softmax over scores that arrive piece by piece, without ever seeing all of them at once. Plain numbers and spans, so
// that the checks of the GPU kernels can use it too.

#include <cstddef>
#include <limits>
#include <span>

namespace kvarium::cpu {

/// What one query knows after some of its scores s[j] and values v[j]   (Milakov and Gimelshein 2018, algorithm 3):
///   max = max_j s[j]     sum = sum_j exp(s[j] - max)     out = sum_j exp(s[j] - max) v[j]
/// The result of attention is out / sum. When a later score is higher, exp(old max - new max) brings what was added
/// before to the new maximum, so no pass over the earlier scores is needed.
/// Nothing seen yet, or all masked: max = -infinity, sum = 0, out = 0. A score of -infinity is masked: its value is not
/// even read. A score of NaN or +infinity makes all of the query NaN, so that a fault upstream is seen.
/// A view: whoever makes it owns the numbers of `out`, and starts them with reset().
struct OnlineSoftmax {
  static constexpr float kMasked = -std::numeric_limits<float>::infinity();

  float max = kMasked;
  float sum = 0.0F;
  std::span<float> out;  ///< [dim]

  /// The state of nothing.
  void reset();
  /// Adds scores and their values; row j of `values` starts at values + j * stride.
  void add(std::span<const float> scores,  // [count]
           const float* values,            // [count][dim], rows `stride` apart
           std::size_t stride);
  /// The half of add() that looks at scores only: `scores` become exp(s[j] - max), masked ones exactly 0, and max, sum
  /// and the scale of `out` are brought up to date. What is left to do is out += sum_j scores[j] v[j].
  void weigh(std::span<float> scores);
  /// Adds what another state has seen. Any order and any grouping gives the same result within rounding, so parts of
  /// a sequence can be computed apart (Flash-Decoding). MisuseError when the widths differ.
  void merge(const OnlineSoftmax& other);

  /// log of sum_j exp(s[j]), natural logarithm; -infinity for nothing. FlashAttention keeps it so too, FlashInfer keeps
  /// the logarithm to base 2: see natural_lse().
  float lse() const;
  /// out / sum, [dim]; zeros for nothing. `result` may be `out`. MisuseError when the widths differ.
  void finish(std::span<float> result) const;
};

/// The state of a finished result and its lse: max = lse, sum = 1, out = result. It merges like any other.
inline OnlineSoftmax finished_state(std::span<float> result, float lse) {
  return {lse, lse == OnlineSoftmax::kMasked ? 0.0F : 1.0F, result};
}

/// A log-sum-exp to base 2, as FlashInfer returns it, as a natural one.
inline float natural_lse(float lse_of_base_2) { return lse_of_base_2 * 0.693147180559945309F; }

}  // namespace kvarium::cpu
