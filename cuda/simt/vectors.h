#pragma once
// Short vectors, which load_vec and store_vec move at once: a Pack of any numbers, and CUDA's own.

#include "cuda/simt/backend.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// As many numbers as a thread can load or store at once: 16 bytes of them.
template <typename T>
struct alignas(16) Pack {
  static constexpr int kCount = 16 / sizeof(T);
  T at[kCount];
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda

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
