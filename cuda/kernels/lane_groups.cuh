#pragma once
// What neighbouring lanes of a warp find together: groups of `lanes` (a power of two), each with its own result, which
// all of its lanes get.

#include <cmath>

#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The lanes of a warp of `lanes` threads, as a mask.
template <int lanes>
__host__ __device__ constexpr unsigned all_lanes() {
  static_assert(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0, "a power of two, up to 32");
  return 0xFFFFFFFFU >> (32 - lanes);
}

/// combine(a, b) of all values, which must not depend on the order of a and b. `mask`: of all lanes that call it.
template <int lanes, typename T, typename Combine>
__device__ __forceinline__ T group_combine(unsigned mask, T value, const Combine& combine) {
  SIMT_UNROLL
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(mask, value, distance));
  }
  return value;
}

template <int lanes, typename T>
__device__ __forceinline__ T group_sum(unsigned mask, T value) {
  return group_combine<lanes>(mask, value, [](T a, T b) { return a + b; });
}

/// Of a whole warp.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
  return group_sum<32>(all_lanes<32>(), value);
}

/// A NaN is passed over, unless all are.
template <int lanes>
__device__ __forceinline__ float group_max(unsigned mask, float value) {
  return group_combine<lanes>(mask, value, [](float a, float b) { return fmaxf(a, b); });
}

/// The larger of two numbers; NaN when one of them is.
template <typename T>
__device__ __forceinline__ T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
