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

/// Whether so many numbers of T are a whole number of packs.
template <typename T, typename Count>
__host__ __device__ constexpr bool fits_packs(Count numbers) {
  return numbers % static_cast<Count>(Pack<T>::kCount) == 0;
}

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
