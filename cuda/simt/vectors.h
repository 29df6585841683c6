#pragma once
// CUDA's short vectors, which load_vec and store_vec move at once.

#include "cuda/simt/backend.h"

#if !SIMT_ON_DEVICE
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// NOLINTBEGIN(readability-identifier-naming): CUDA's own names.
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
#endif
