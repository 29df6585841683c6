#pragma once
// From logits to the next token: the tokens that core/sampling draws, for the same uniform numbers.
//
// argmax: the lowest id of the largest logits
//
//   rung    idea               bytes moved a row   what to learn
//   thread  one thread a row   n s                 neighbouring threads read numbers that lie a row apart
//   block   one block a row    n s                 coalescing; the largest logit first, then its lowest id
//
// sample: temperature, top-k, top-p, then a draw; one block a row, and nothing is sorted
//
//   step    idea                                                                passes of n s
//   best    the largest logit, which every weight is measured against           1
//   top-k   the k-th largest logit is found bit by bit; of equals the lower ids 34
//   top-p   the same, with the sum of the weights in place of the count         35
//   draw    the sum of what is kept, and where uniform * sum is passed          1
//
// n: tokens of the vocabulary, s: bytes of a logit. A pass that looks for a place reads one share of the vocabulary
// (vocabulary_scan.cuh) once more.
// A row with a NaN gives kNoToken, and so does one in which all logits are -infinity, unless it is greedy.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cuda/kernels/block_reduce.cuh"
#include "cuda/kernels/vocabulary_scan.cuh"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr unsigned kSampleThreads = 128;  ///< of a row

/// The largest of some logits, and where it was first seen. Once a NaN was seen it is the largest.
struct Largest {
  float logit = -INFINITY;
  int token = kNoToken;

  __device__ void see(int id, float other) {
    if (token != kNoToken && !(other > logit) && other == other) return;
    logit = other;
    token = id;
  }
};

/// logits: [rows][vocab], tokens: [rows]. One thread a row.
template <typename T>
__global__ void argmax_thread(gptr<const T> logits, gptr<int> tokens, int rows, int vocab) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  Largest largest;
  for (int i = 0; i < vocab; ++i) largest.see(i, to_float(logits[static_cast<long long>(row) * vocab + i]));
  tokens[row] = largest.logit != largest.logit ? kNoToken : largest.token;
}

/// The same, one block a row.
template <typename T>
__global__ void argmax_block(gptr<const T> logits, gptr<int> tokens, int vocab) {
  SIMT_SHARED(float[kSampleThreads / 32], scratch);
  SIMT_SHARED(int[kSampleThreads / 32], ids);
  Largest own;
  for (int i = static_cast<int>(threadIdx.x); i < vocab; i += static_cast<int>(blockDim.x)) {
    own.see(i, to_float(logits[static_cast<long long>(blockIdx.x) * vocab + i]));
  }
  SIMT_SHOW("logit", own.logit);
  SIMT_SHOW("token", own.token);
  SIMT_PAUSE("own logits");
  const float best = first_block_max<float>(own.logit, scratch);
  const int candidate = own.logit == best && own.token != kNoToken ? own.token : vocab;
  const int lowest = first_block_combine<int>(candidate, ids, [](int a, int b) { return a < b ? a : b; });
  if (threadIdx.x == 0) tokens[blockIdx.x] = best != best ? kNoToken : lowest;
}

enum class ArgmaxRung { thread, block };

/// logits: [rows][vocab], vocab above 0; tokens: [rows].
template <typename T>
void argmax(ArgmaxRung rung, Stream& stream, gptr<const T> logits, gptr<int> tokens, int rows, int vocab) {
  if (rows == 0) return;
  const auto num_rows = static_cast<unsigned>(rows);
  if (rung == ArgmaxRung::thread) {
    launch(argmax_thread<T>, (num_rows + 127) / 128, 128, 0, stream, logits, tokens, rows, vocab);
  } else {
    launch(argmax_block<T>, num_rows, kSampleThreads, 0, stream, logits, tokens, vocab);
  }
}

/// How a row is sampled: SamplingParams of core/sampling, and the number that decides.
struct SampleParams {
  float temperature = 0;
  unsigned top_k = 0;
  float top_p = 1;
  double uniform = 0;  ///< in [0, 1)
};

/// A row of logits, and what its block needs to look through it.
template <typename T>
struct SampleRow {
  gptr<const T> logits;  ///< [vocab]
  int vocab;
  sptr<double> scratch;  ///< [warps]
  ScanRoom room;
};

/// The sum of value(token, logit) over a row.
template <typename T, typename Value>
__device__ double row_sum(const SampleRow<T>& row, const Value& value) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < row.vocab; i += static_cast<int>(blockDim.x)) {
    sum += value(i, to_float(row.logits[i]));
  }
  return block_sum<double>(sum, row.scratch);
}

/// The value of a row's tokens for vocabulary_scan.cuh, from value(token, logit).
template <typename T, typename Value>
__device__ auto of_row(const SampleRow<T>& row, const Value& value) {
  return [&row, &value](int token) { return value(token, to_float(row.logits[token])); };
}

/// The larger the logit, the larger these bits. -0 and +0 are the same.
__device__ __forceinline__ std::uint32_t ordered_bits(float logit) {
  const float number = logit + 0.0F;
  std::uint32_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  return bits >> 31U != 0 ? ~bits : bits | 0x80000000U;
}

/// Which tokens are kept: those with larger logits, and of those with the same one the ids up to `last`.
struct Cut {
  std::uint32_t bits = 0;
  int last = 0;

  __device__ bool keeps(int token, float logit) const {
    const std::uint32_t own = ordered_bits(logit);
    return own > bits || (own == bits && token <= last);
  }
};

/// Keeps the fewest tokens, the largest logits and of equals the lowest ids first, whose values together reach
/// `wanted`. The logit at the cut is the largest one for which the values from there on suffice: 32 bits, the highest
/// first.
template <typename T, typename Value>
__device__ Cut cut_at(const SampleRow<T>& row, double wanted, const Value& value) {
  Cut cut;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t tried = cut.bits | 1U << static_cast<unsigned>(bit);
    const double reached =
        row_sum(row, [&](int token, float logit) { return ordered_bits(logit) >= tried ? value(token, logit) : 0.0; });
    if (reached >= wanted) cut.bits = tried;
    SIMT_SHOW("bit", bit);
    SIMT_SHOW("reached", reached);
    SIMT_PAUSE("bit");
  }
  const double above =
      row_sum(row, [&](int token, float logit) { return ordered_bits(logit) > cut.bits ? value(token, logit) : 0.0; });
  const auto equals = [&](int token, float logit) {
    return ordered_bits(logit) == cut.bits ? value(token, logit) : 0.0;
  };
  add_up(row.room, row.vocab, of_row(row, equals));
  cut.last = first_reaching(
      row.room, row.vocab, above, [&](double reached) { return reached >= wanted; }, of_row(row, equals));
  return cut;
}

/// `best`: the largest logit of the row; not -infinity unless the row is greedy.
template <typename T>
__device__ int draw(const SampleRow<T>& row, const SampleParams& how, float best) {
  if (how.temperature == 0) {
    const auto is_best = [&](int, float logit) { return logit == best ? 1.0 : 0.0; };
    add_up(row.room, row.vocab, of_row(row, is_best));
    return first_reaching(
        row.room, row.vocab, 0, [](double count) { return count >= 1; }, of_row(row, is_best));
  }
  const auto weight = [&](float logit) {
    if (logit == best) return 1.0;  // also when both are infinite
    return exp((static_cast<double>(logit) - static_cast<double>(best)) / static_cast<double>(how.temperature));
  };
  const Cut all{0, row.vocab};
  const bool has_top_k = how.top_k > 0 && how.top_k < static_cast<unsigned>(row.vocab);
  const Cut top_k = has_top_k ? cut_at(row, how.top_k, [](int, float) { return 1.0; }) : all;
  const auto kept = [&](int token, float logit) { return top_k.keeps(token, logit) ? weight(logit) : 0.0; };
  const Cut top_p = how.top_p < 1 ? cut_at(row, static_cast<double>(how.top_p) * row_sum(row, kept), kept) : all;
  const auto possible = [&](int token, float logit) { return top_p.keeps(token, logit) ? kept(token, logit) : 0.0; };
  add_up(row.room, row.vocab, of_row(row, possible));
  const double limit = how.uniform * total_of(row.room, row.vocab);
  return first_reaching(
      row.room, row.vocab, 0, [&](double reached) { return reached > limit; }, of_row(row, possible));
}

/// blockIdx.x: row.
template <typename T>
__global__ void sample_rows(gptr<const T> logits, gptr<const SampleParams> params, gptr<int> tokens, int vocab) {
  SIMT_SHARED(double[kSampleThreads / 32], scratch);
  SIMT_SHARED(double[kShares], shares);
  SIMT_SHARED(int[1], found);
  const SampleRow<T> row{logits + static_cast<long long>(blockIdx.x) * vocab, vocab, scratch, {shares, found}};
  const SampleParams how = params[blockIdx.x];
  Largest own;
  for (int i = static_cast<int>(threadIdx.x); i < vocab; i += static_cast<int>(blockDim.x)) {
    own.see(i, to_float(row.logits[i]));
  }
  const auto best = static_cast<float>(first_block_max<double>(own.logit, scratch));
  const bool is_possible = best > -INFINITY || (best == -INFINITY && how.temperature == 0);
  const int token = is_possible ? draw(row, how, best) : kNoToken;
  if (threadIdx.x == 0) tokens[blockIdx.x] = token;
}

/// logits: [rows][vocab], vocab above 0; params: [rows], as check(SamplingParams) allows them; tokens: [rows].
template <typename T>
void sample(Stream& stream, gptr<const T> logits, gptr<const SampleParams> params, gptr<int> tokens, int rows,
            int vocab) {
  if (rows == 0) return;
  launch(sample_rows<T>, static_cast<unsigned>(rows), kSampleThreads, 0, stream, logits, params, tokens, vocab);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
