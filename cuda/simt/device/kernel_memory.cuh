#pragma once
// The device's side of simt/kernel.h: plain pointers, and CUDA's own words for everything else.

#include <cstddef>

#include "cuda/simt/backend.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T>
using gptr = T* __restrict__;  // NOLINT(readability-identifier-naming)
template <typename T>
using sptr = T*;  // NOLINT(readability-identifier-naming)

/// A type that can stand before a name, also when it is an array.
template <typename T>
struct Declared {
  using Type = T;
};

#define SIMT_SHARED(type, name) __shared__ typename ::kvarium::cuda::device::Declared<type>::Type name
#define SIMT_DYNAMIC_SHARED(type, name)          \
  extern __shared__ uint4 simt_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(simt_dynamic_shared)
#define SIMT_PAUSE(label) static_cast<void>(0)
#define SIMT_SHOW(name, value) static_cast<void>(0)

/// Reads or writes sizeof(Vector) bytes at once; the address must be a multiple of that.
template <typename Vector, typename T>
__device__ __forceinline__ Vector load_vec(const T* from) {
  return *reinterpret_cast<const Vector*>(from);
}
template <typename Vector, typename T>
__device__ __forceinline__ void store_vec(T* to, const Vector& value) {
  *reinterpret_cast<Vector*>(to) = value;
}

template <typename U, typename T>
__device__ __forceinline__ U* pointer_cast(T* pointer) {
  return reinterpret_cast<U*>(pointer);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
