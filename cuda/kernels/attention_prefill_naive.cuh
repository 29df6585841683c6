#pragma once
// attention_prefill, first rung: the equation, a warp for each row. No lane keeps the scores: the maximum is found in a
// first pass, and the second computes them again.

#include "cuda/kernels/attention_prefill_rows.cuh"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/math.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr unsigned kNaiveThreads = 32;

/// blockIdx: row, KV head, sequence.
template <typename T, int head_dim>
__global__ void attention_prefill_naive(AttentionPrefill<T> batch, float scale) {
  constexpr int kDims = (head_dim + 31) / 32;  // of the result, in a lane
  const PrefillRows rows = prefill_rows(batch, blockIdx.z, blockIdx.y);
  const unsigned row = blockIdx.x;
  if (row >= rows.count) return;
  const int lane = static_cast<int>(threadIdx.x);
  const gptr<const T> query = batch.queries + query_offset(batch, rows, row);
  const Visible seen = visible(batch, rows, row);
  const unsigned end = keys_end(batch, rows, row);
  const auto cache_row = [&](unsigned key) {
    return row_offset(batch.cache.tables, batch.cache.layout, rows.sequence, key, rows.kv_head);
  };
  const auto score = [&](unsigned key) {
    if (key >= end || !seen.sees(key)) return -INFINITY;
    const gptr<const T> numbers = batch.cache.keys + cache_row(key);
    float sum = 0;
    for (int i = 0; i < head_dim; ++i) sum += to_float(query[i]) * to_float(numbers[i]);
    return sum * scale;
  };

  float most = -INFINITY;
  for (unsigned key = threadIdx.x; key < end; key += 32) most = fmaxf(most, score(key));
  most = group_max<32>(all_lanes<32>(), most);
  if (most == -INFINITY) most = 0;  // nothing is seen: all weights become 0
  SIMT_SHOW("most", most);
  SIMT_PAUSE("largest score");

  float sum = 0, out[kDims] = {};
  for (unsigned first = 0; first < end; first += 32) {
    const float mine = fast_exp(score(first + threadIdx.x) - most);  // each lane has a key
    sum += mine;
    SIMT_SHOW("weight", mine);
    SIMT_PAUSE("weights");
    for (unsigned i = 0; i < 32 && first + i < end; ++i) {  // each lane has some of the numbers of a value
      const float weight = __shfl_sync(0xFFFFFFFFU, mine, static_cast<int>(i));
      const gptr<const T> value = batch.cache.values + cache_row(first + i);
      SIMT_UNROLL
      for (int d = 0; d < kDims; ++d) {
        if (lane + 32 * d < head_dim) out[d] += weight * to_float(value[lane + 32 * d]);
      }
    }
    SIMT_SHOW("sum", sum);
    SIMT_SHOW("out", out[0]);
    SIMT_PAUSE("values");
  }
  sum = warp_sum(sum);
  const gptr<T> to = batch.out + query_offset(batch, rows, row);
  SIMT_UNROLL
  for (int d = 0; d < kDims; ++d) {
    if (lane + 32 * d < head_dim) to[lane + 32 * d] = from_float<T>(sum == 0 ? 0.0F : out[d] / sum);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
