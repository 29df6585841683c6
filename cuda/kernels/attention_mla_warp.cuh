#pragma once
// Rung warp_a_head of attention_mla: one warp a head.

#include "cuda/kernels/attention_decode_warp.cuh"
#include "cuda/kernels/mla_call.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Grid: rows, heads; 32 threads. As attention_decode_warp(), which explains the loop: each lane scores one row, then
/// the lanes share the dimensions of the latents.
template <typename T>
__global__ void attention_mla_warp(AttentionMla<T> call) {
  SIMT_SHARED(float[kMostLatentRow], query);
  constexpr unsigned kAll = all_lanes<32>();
  constexpr int kDims = kMostLatent / 32;  // of a lane, at most
  const unsigned lane = threadIdx.x, width = call.kv.layout.head_dim;
  const TokensSeen seen = tokens_seen(call, blockIdx.x);
  const std::size_t head = std::size_t{blockIdx.x} * call.heads + blockIdx.y;
  for (unsigned i = lane; i < width; i += 32) query[i] = to_float(call.queries[head * width + i]);
  __syncwarp();

  float m = kNothingSeen, l = 0, acc[kDims] = {};
  for (unsigned first = seen.begin; first < seen.end; first += 32) {
    float score = -INFINITY;
    std::size_t place = 0;
    if (first + lane < seen.end) {
      place = row_offset(call.kv.tables, call.kv.layout, seen.sequence, first + lane, 0);
      score = call.scale * dot<T>(query, call.kv.rows + place, width);
    }
    const float new_m = fmaxf(m, group_max<32>(kAll, score));
    const float alpha = fast_exp(m - new_m), weight = fast_exp(score - new_m);
    m = new_m;
    l = alpha * l + warp_sum(weight);
    SIMT_UNROLL
    for (int i = 0; i < kDims; ++i) acc[i] *= alpha;
    for (unsigned key = 0; key < 32 && first + key < seen.end; ++key) {
      const float key_weight = __shfl_sync(kAll, weight, static_cast<int>(key));
      const std::size_t latent = __shfl_sync(kAll, place, static_cast<int>(key));
      SIMT_UNROLL
      for (int i = 0; i < kDims; ++i) {
        const unsigned column = lane + static_cast<unsigned>(32 * i);
        if (column < call.latent_dim) acc[i] += key_weight * to_float(call.kv.rows[latent + column]);
      }
    }
  }

  SIMT_UNROLL
  for (int i = 0; i < kDims; ++i) {
    const unsigned column = lane + static_cast<unsigned>(32 * i);
    if (column >= call.latent_dim) continue;
    call.out[head * call.latent_dim + column] = from_float<T>(l == 0.0F ? 0.0F : acc[i] / l);
  }
  if (call.lse != nullptr && lane == 0) call.lse[head] = log_sum_exp(m, l);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
