#pragma once
// Numbers of K and V as small codes that share a scale: number = code * scale.
//
//   code   bits a number   what a code stands for                          largest
//   e4m3   8               a small floating-point number (simt/numbers.h)  448
//   i8     8               a whole number, -127 to 127                     127
//   i4x2   4               two whole numbers, -7 to 7, the first low       7
//
// The scale of numbers that are quantized together is the largest of their sizes / the largest code: nothing is cut
// off. Codes round to the nearest, ties to the even one, and saturate where a given scale is too small.
// A NaN or an infinity makes the scale NaN, and so all numbers of its group: what went wrong before is seen.

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "cuda/simt/backend.h"
#include "cuda/simt/math.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// NOLINTBEGIN(readability-identifier-naming): named like the types of the language.
struct i8 {
  std::int8_t bits;
};
struct i4x2 {
  std::uint8_t bits;
};
// NOLINTEND(readability-identifier-naming)

template <typename Code>
struct CodeFormat;
template <>
struct CodeFormat<e4m3> {
  static constexpr int kNumbers = 1;  ///< in a code
  static constexpr float kLargest = 448;
};
template <>
struct CodeFormat<i8> {
  static constexpr int kNumbers = 1;
  static constexpr float kLargest = 127;
};
template <>
struct CodeFormat<i4x2> {
  static constexpr int kNumbers = 2;
  static constexpr float kLargest = 7;
};

/// The codes of `count` neighbouring numbers, loaded or stored at once: 16 bytes at most.
template <typename Code, int count>
struct alignas(count / CodeFormat<Code>::kNumbers) QuantizedPack {
  static_assert(count % CodeFormat<Code>::kNumbers == 0, "a code is not torn apart");
  Code at[count / CodeFormat<Code>::kNumbers];
};

/// Number i of a code, before it is scaled.
__device__ __forceinline__ float decoded(e4m3 code, int) { return to_float(code); }
__device__ __forceinline__ float decoded(i8 code, int) { return static_cast<float>(code.bits); }
__device__ __forceinline__ float decoded(i4x2 code, int i) {
  const int nibble = (code.bits >> (4 * i)) & 15;
  return static_cast<float>(nibble < 8 ? nibble : nibble - 16);
}

template <typename Code, int count>
__device__ __forceinline__ void dequantize(const QuantizedPack<Code, count>& codes, float scale,
                                           float (&numbers)[count]) {
  constexpr int kNumbers = CodeFormat<Code>::kNumbers;
  SIMT_UNROLL
  for (int i = 0; i < count; ++i) numbers[i] = decoded(codes.at[i / kNumbers], i % kNumbers) * scale;
}

/// The nearest whole number that a code with `largest` can hold.
__device__ __forceinline__ int whole(float x, float largest) { return nearest_int(fminf(fmaxf(x, -largest), largest)); }

/// The code of numbers that are divided by the scale already.
__device__ __forceinline__ void encode(const float (&numbers)[1], e4m3& code) { code = from_float<e4m3>(numbers[0]); }
__device__ __forceinline__ void encode(const float (&numbers)[1], i8& code) {
  code.bits = static_cast<std::int8_t>(whole(numbers[0], CodeFormat<i8>::kLargest));
}
__device__ __forceinline__ void encode(const float (&numbers)[2], i4x2& code) {
  const int low = whole(numbers[0], CodeFormat<i4x2>::kLargest), high = whole(numbers[1], CodeFormat<i4x2>::kLargest);
  code.bits = static_cast<std::uint8_t>((low & 15) | (high & 15) << 4);
}

/// A number in units of its scale; 0 with a scale of 0 or NaN.
__device__ __forceinline__ float divided(float number, float scale) { return scale > 0 ? number / scale : 0.0F; }

/// With a scale of 0 or NaN every code is 0.
template <typename Code, int count>
__device__ __forceinline__ QuantizedPack<Code, count> quantize(const float (&numbers)[count], float scale) {
  constexpr int kNumbers = CodeFormat<Code>::kNumbers;
  QuantizedPack<Code, count> codes;
  SIMT_UNROLL
  for (int i = 0; i < count; i += kNumbers) {
    float scaled[kNumbers];
    SIMT_UNROLL
    for (int j = 0; j < kNumbers; ++j) scaled[j] = divided(numbers[i + j], scale);
    encode(scaled, codes.at[i / kNumbers]);
  }
  return codes;
}

/// The scale of numbers of which `largest` is the largest size.
template <typename Code>
__device__ __forceinline__ float scale_of(float largest) {
  return largest <= FLT_MAX ? largest / CodeFormat<Code>::kLargest : NAN;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
