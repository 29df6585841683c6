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

/// One head of one new token, and what it looks at.
template <typename T>
struct WarpHead {
  TokensSeen seen;
  std::size_t index;           ///< of the head, counted through all new tokens
  unsigned kv_head;            ///< which it reads
  unsigned columns;            ///< of a value, from its first on
  gptr<const T> queries;       ///< [head][head_dim]
  gptr<const T> keys, values;  ///< where the block tables say
  gptr<T> out;                 ///< [head][columns]
  gptr<float> lse;             ///< [head], or null
  float scale;
};

/// A block of `lanes` threads, which takes `lanes` keys in each pass of its loop: 32, or fewer to look at. `most_dims`,
/// `most_columns`: as wide as a key and a value may be.
///
/// In a pass every lane has one key: it finds where the key lies and computes the score. Then every lane has some of
/// the columns instead, lane, lane + lanes, ..., and the values of all keys are added. The online softmax (Milakov and
/// Gimelshein 2018, algorithm 3) keeps m = max score, l = sum exp(score - m) and acc = sum exp(score - m) v; when m
/// grows, alpha = exp(old m - new m) brings l and acc along. All lanes hold the same m and l.
template <int most_dims, int most_columns, int lanes, typename T>
__device__ __forceinline__ void attend_with_a_warp(const WarpHead<T>& head, const BlockTables& tables,
                                                   const KvLayout& layout) {
  SIMT_SHARED(float[most_dims], query);
  constexpr unsigned kAll = all_lanes<lanes>();
  constexpr int kColumns = most_columns / lanes;  // of a lane, at most
  const unsigned lane = threadIdx.x, dim = layout.head_dim;
  const TokensSeen seen = head.seen;
  for (unsigned i = lane; i < dim; i += lanes) query[i] = to_float(head.queries[head.index * dim + i]);
  __syncwarp(kAll);

  float m = kNothingSeen, l = 0, acc[kColumns] = {};
  for (unsigned first = seen.begin; first < seen.end; first += lanes) {
    float score = -INFINITY;
    std::size_t place = 0;
    if (first + lane < seen.end) {
      place = row_offset(tables, layout, seen.sequence, first + lane, head.kv_head);
      SIMT_SHOW("slot", place / layout.token_stride());
      SIMT_PAUSE("found the key");
      score = head.scale * dot<T>(query, head.keys + place, dim);
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
    for (int i = 0; i < kColumns; ++i) acc[i] *= alpha;
    for (unsigned key = 0; key < lanes && first + key < seen.end; ++key) {
      const float key_weight = __shfl_sync(kAll, weight, static_cast<int>(key));
      const std::size_t value = __shfl_sync(kAll, place, static_cast<int>(key));
      SIMT_UNROLL
      for (int i = 0; i < kColumns; ++i) {
        const unsigned column = lane + static_cast<unsigned>(lanes * i);
        if (column < head.columns) acc[i] += key_weight * to_float(head.values[value + column]);
      }
    }
    SIMT_SHOW("acc", acc[0]);
    SIMT_PAUSE("pass");
  }

  SIMT_UNROLL
  for (int i = 0; i < kColumns; ++i) {
    const unsigned column = lane + static_cast<unsigned>(lanes * i);
    if (column < head.columns) {
      head.out[head.index * head.columns + column] = from_float<T>(l == 0.0F ? 0.0F : acc[i] / l);
    }
  }
  if (head.lse != nullptr && lane == 0) head.lse[head.index] = log_sum_exp(m, l);
}

/// Grid: rows, query heads; `lanes` threads.
template <typename T, int lanes = 32>
__global__ void attention_decode_warp(AttentionDecode<T> call) {
  const KvLayout layout = call.kv.layout;
  const WarpHead<T> head{tokens_seen(call, blockIdx.x),
                         std::size_t{blockIdx.x} * call.query_heads + blockIdx.y,
                         blockIdx.y / (call.query_heads / layout.kv_heads),
                         layout.head_dim,
                         call.queries,
                         call.kv.keys,
                         call.kv.values,
                         call.out,
                         call.lse,
                         call.scale};
  attend_with_a_warp<kMostHeadDim, kMostHeadDim, lanes>(head, call.kv.tables, layout);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
