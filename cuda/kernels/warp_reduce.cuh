#pragma once
// One number from the 32 lanes of a warp, in every lane: five rounds of a butterfly, in each of which a lane meets
// another one.

#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

__device__ __forceinline__ float warp_sum(float value) {
  SIMT_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  return value;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
