#pragma once
// One number from all threads of a block, in every thread: first within each warp by shuffles, then across the warps
// through shared memory.

#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// combine(a, b) of all threads' values, in an order that depends on nothing but the size of the block, which is a
/// multiple of 32. `scratch` has room for a number a warp.
template <typename T, typename Combine>
__device__ __forceinline__ T block_combine(T value, sptr<T> scratch, const Combine& combine) {
  SIMT_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(all_lanes<32>(), value, distance));
  }
  __syncthreads();  // nobody reads the result of an earlier call any more
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  T result = scratch[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) result = combine(result, static_cast<T>(scratch[warp]));
  return result;
}

template <typename T>
__device__ __forceinline__ T block_sum(T value, sptr<T> scratch) {
  return block_combine(value, scratch, [](T a, T b) { return a + b; });
}

/// NaN when one of the values is.
template <typename T>
__device__ __forceinline__ T block_max(T value, sptr<T> scratch) {
  return block_combine(value, scratch, [](T a, T b) { return a > b || a != a ? a : b; });
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
