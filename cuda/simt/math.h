#pragma once
// Functions that a device has an instruction for, with its precision there, and the host's own precision here. The
// results differ in the last places: compare with a tolerance.

#include <cmath>

#include "cuda/simt/backend.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#if SIMT_ON_DEVICE
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float fast_exp(float x) { return __expf(x); }
__device__ __forceinline__ float fast_log2(float x) { return __log2f(x); }
__device__ __forceinline__ float fast_divide(float x, float y) { return __fdividef(x, y); }
__device__ __forceinline__ float reciprocal_root(float x) { return rsqrtf(x); }
__device__ __forceinline__ int nearest_int(float x) { return __float2int_rn(x); }
__device__ __forceinline__ int lowest_bit(unsigned bits) { return __ffs(static_cast<int>(bits)) - 1; }
__device__ __forceinline__ int highest_bit(unsigned bits) { return 31 - __clz(static_cast<int>(bits)); }
#else
// A device's own min() and max() need no name of the standard library.
template <typename T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
inline float fast_exp2(float x) { return std::exp2(x); }
inline float fast_exp(float x) { return std::exp(x); }
inline float fast_log2(float x) { return std::log2(x); }
inline float fast_divide(float x, float y) { return x / y; }
inline float reciprocal_root(float x) { return 1.0F / std::sqrt(x); }
inline int nearest_int(float x) { return static_cast<int>(std::nearbyint(x)); }  ///< ties to the even number
inline int lowest_bit(unsigned bits) { return __builtin_ctz(bits); }             ///< that is set; there must be one
inline int highest_bit(unsigned bits) { return 31 - __builtin_clz(bits); }       ///< likewise
#endif

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
