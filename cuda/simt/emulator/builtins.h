#pragma once
// What every kernel knows of itself, under CUDA's names.

#include "cuda/simt/backend.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// NOLINTBEGIN(readability-identifier-naming): CUDA's own names.
struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}  // NOLINT: from a number
  constexpr unsigned long long volume() const { return 1ULL * x * y * z; }
};

inline constexpr int warpSize = 32;

// Set before a thread is resumed. Fibers never leave their thread of the host, so these are plain variables to a
// debugger: break where threadIdx.x == 37.
inline thread_local constinit uint3 threadIdx{};
inline thread_local constinit uint3 blockIdx{};
inline thread_local constinit dim3 blockDim{};
inline thread_local constinit dim3 gridDim{};
// NOLINTEND(readability-identifier-naming)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
