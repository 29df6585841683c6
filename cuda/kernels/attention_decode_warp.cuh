#pragma once
// Rung warp_a_head of attention_decode: one warp a query head.

#include "cuda/kernels/decode_call.cuh"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The widest head that rung warp_a_head takes.
inline constexpr int kMostHeadDim = 256;

/// q . k, q in shared memory.
template <typename T>
__device__ __forceinline__ float dot(sptr<const float> query, gptr<const T> key, unsigned dim) {
  float sum = 0;
  for (unsigned i = 0; i < dim; ++i) sum += query[i] * to_float(key[i]);
  return sum;
}

/// Grid: rows, query heads. Each block is one warp of `lanes` threads, which takes `lanes` keys in each pass of its
/// loop: 32, or fewer to look at.
///
/// In a pass every lane has one key: it finds where the key lies and computes the score. Then every lane has some of
/// the dimensions instead, lane, lane + lanes, ..., and the values of all keys are added. The online softmax (Milakov
/// and Gimelshein 2018, algorithm 3) keeps m = max score, l = sum exp(score - m) and acc = sum exp(score - m) v; when m
/// grows, alpha = exp(old m - new m) brings l and acc along. All lanes hold the same m and l.
template <typename T, int lanes = 32>
__global__ void attention_decode_warp(AttentionDecode<T> call) {
  SIMT_SHARED(float[kMostHeadDim], query);
  constexpr unsigned kAll = all_lanes<lanes>();
  constexpr int kDims = kMostHeadDim / lanes;  // of a lane, at most
  const KvLayout layout = call.kv.layout;
  const unsigned lane = threadIdx.x, dim = layout.head_dim, head = blockIdx.y;
  const unsigned kv_head = head / (call.query_heads / layout.kv_heads);
  const TokensSeen seen = tokens_seen(call, blockIdx.x);
  const std::size_t head_row = std::size_t{blockIdx.x} * call.query_heads + head;
  for (unsigned i = lane; i < dim; i += lanes) query[i] = to_float(call.queries[head_row * dim + i]);
  __syncwarp(kAll);

  float m = kNothingSeen, l = 0, acc[kDims] = {};
  for (unsigned first = seen.begin; first < seen.end; first += lanes) {
    float score = -INFINITY;
    std::size_t place = 0;
    if (first + lane < seen.end) {
      place = row_offset(call.kv.tables, layout, seen.sequence, first + lane, kv_head);
      SIMT_SHOW("slot", place / layout.token_stride());
      SIMT_PAUSE("found the key");
      score = call.scale * dot<T>(query, call.kv.keys + place, dim);
    }
    SIMT_SHOW("score", score);
    SIMT_PAUSE("score");

    const float new_m = fmaxf(m, group_max<lanes>(kAll, score));
    const float alpha = fast_exp(m - new_m), weight = fast_exp(score - new_m);
    m = new_m;
    l = alpha * l + group_sum<lanes>(kAll, weight);
    SIMT_SHOW("alpha", alpha);
    SIMT_SHOW("weight", weight);
    SIMT_SHOW("m", m);
    SIMT_SHOW("l", l);
    SIMT_PAUSE("weights");

    SIMT_UNROLL
    for (int i = 0; i < kDims; ++i) acc[i] *= alpha;
    for (unsigned key = 0; key < lanes && first + key < seen.end; ++key) {
      const float key_weight = __shfl_sync(kAll, weight, static_cast<int>(key));
      const std::size_t value = __shfl_sync(kAll, place, static_cast<int>(key));
      SIMT_UNROLL
      for (int i = 0; i < kDims; ++i) {
        const unsigned column = lane + static_cast<unsigned>(lanes * i);
        if (column < dim) acc[i] += key_weight * to_float(call.kv.values[value + column]);
      }
    }
    SIMT_SHOW("acc", acc[0]);
    SIMT_PAUSE("pass");
  }

  SIMT_UNROLL
  for (int i = 0; i < kDims; ++i) {
    const unsigned column = lane + static_cast<unsigned>(lanes * i);
    if (column < dim) call.out[head_row * dim + column] = from_float<T>(l == 0.0F ? 0.0F : acc[i] / l);
  }
  if (call.lse != nullptr && lane == 0) call.lse[head_row] = log_sum_exp(m, l);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
