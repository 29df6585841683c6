#pragma once
// What all rungs of attention_decode are given, and which tokens a new token sees.

#include <cfloat>
#include <cmath>

#include "cuda/kernels/block_table.cuh"
#include "cuda/simt/kernel.h"
#include "cuda/simt/math.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The newest tokens of every sequence look at the cached tokens up to themselves. Their own K and V are there already.
template <typename T, typename Cache = PagedKv<T>>
struct AttentionDecode {
  using Number = T;
  using Kv = Cache;

  gptr<const T> queries;  ///< [sequence][new token][query_head][dim]
  Cache kv;
  gptr<const unsigned> lengths;  ///< [sequence] cached tokens, the new ones included; 0: see TokensSeen
  gptr<T> out;                   ///< like queries
  gptr<float> lse = nullptr;     ///< [sequence][new token][query_head] log sum_j exp(score_j); null: not wanted
  unsigned sequences = 0;
  unsigned new_tokens = 1;  ///< of each sequence: 1, or more where drafts are verified
  unsigned query_heads = 0;
  unsigned window = 0;  ///< 0: none; else a token sees itself and window - 1 before it (Jiang et al. 2023, section 2)
  float scale = 1;      ///< of q . k, above 0: mostly 1 / sqrt(head_dim)

  /// All new tokens, one after another: rows of `queries` and `out`.
  __host__ __device__ unsigned rows() const { return sequences * new_tokens; }
};

/// The cached tokens [begin, end) that one new token sees. None at all when there are fewer tokens than new ones, as in
/// an empty sequence: then its output is 0 and its log-sum-exp -infinity, the sum over nothing.
struct TokensSeen {
  unsigned sequence, begin, end;
};

template <typename Call>
__device__ __forceinline__ TokensSeen tokens_seen(const Call& call, unsigned row) {
  const unsigned sequence = row / call.new_tokens, later = call.new_tokens - 1 - row % call.new_tokens;
  const unsigned length = call.lengths[sequence];
  const unsigned end = length > later ? length - later : 0;
  return {sequence, call.window == 0 || end <= call.window ? 0 : end - call.window, end};
}

/// The maximum over no scores: below every score but -infinity, so that exp(score - maximum) is 0 for a score of
/// -infinity also then, and not a NaN.
inline constexpr float kNothingSeen = -FLT_MAX;
inline constexpr float kLog2OfE = 1.442695041F;

/// log sum_j exp(score_j) = m + log(l); -infinity for nothing.
__device__ __forceinline__ float log_sum_exp(float m, float l) { return l == 0.0F ? -INFINITY : m + logf(l); }

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
