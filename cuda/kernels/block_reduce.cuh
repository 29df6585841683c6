#pragma once
// One number from all threads of a block, in every thread: first within each warp by shuffles, then across the warps
// through shared memory.

#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// combine(a, b) of all threads' values, in an order that depends on nothing but the size of the block, which is a
/// multiple of 32. `scratch` has room for a number a warp.
/// No earlier call has used it.
template <typename T, typename Combine>
__device__ __forceinline__ T first_block_combine(T value, sptr<T> scratch, const Combine& combine) {
  value = group_combine<32>(all_lanes<32>(), value, combine);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  T result = scratch[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) result = combine(result, static_cast<T>(scratch[warp]));
  return result;
}

/// The same where an earlier call may have used `scratch`.
template <typename T, typename Combine>
__device__ __forceinline__ T block_combine(T value, sptr<T> scratch, const Combine& combine) {
  __syncthreads();  // nobody reads the result of an earlier call any more
  return first_block_combine(value, scratch, combine);
}

template <typename T>
__device__ __forceinline__ T first_block_sum(T value, sptr<T> scratch) {
  return first_block_combine(value, scratch, [](T a, T b) { return a + b; });
}
template <typename T>
__device__ __forceinline__ T block_sum(T value, sptr<T> scratch) {
  return block_combine(value, scratch, [](T a, T b) { return a + b; });
}

/// NaN when one of the values is.
template <typename T>
__device__ __forceinline__ T first_block_max(T value, sptr<T> scratch) {
  return first_block_combine(value, scratch, [](T a, T b) { return larger(a, b); });
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
