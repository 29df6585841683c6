#pragma once
// Rung warp_a_head of attention_mla: one warp a head.

#include "cuda/kernels/attention_decode_warp.cuh"
#include "cuda/kernels/mla_call.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Grid: rows, heads; 32 threads. As in attention_decode, where a row is key and value.
template <typename T>
__global__ void attention_mla_warp(AttentionMla<T> call) {
  const WarpHead<T> head{tokens_seen(call, blockIdx.x),
                         std::size_t{blockIdx.x} * call.heads + blockIdx.y,
                         0,
                         call.latent_dim,
                         call.queries,
                         call.kv.rows,
                         call.kv.rows,
                         call.out,
                         call.lse,
                         call.scale};
  attend_with_a_warp<kMostLatentRow, kMostLatent, 32>(head, call.kv.tables, call.kv.layout);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
