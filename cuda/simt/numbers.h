#pragma once
// The small floating-point numbers of a device, as plain storage. Arithmetic is done in float.
//
//   f16   sign, 5 bits of exponent, 10 of fraction   largest 65504      rounds beyond it to infinity
//   bf16  sign, 8, 7                                 the range of float rounds beyond it to infinity
//   e4m3  sign, 4, 3   no infinity, one NaN          largest 448        saturates
//   e5m2  sign, 5, 2                                 largest 57344      saturates
//
// from_float rounds to the nearest, ties to the even fraction, as cvt.rn (and cvt.rn.satfinite for the FP8 types) does
// on a device, and gives the device's NaN for a NaN. Micikevicius et al. 2022 (FP8 formats for deep learning), table 1.

#include <cstdint>
#include <cstring>

#include "cuda/simt/backend.h"
#if SIMT_ON_DEVICE
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// NOLINTBEGIN(readability-identifier-naming): named like the types of the language.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct e4m3 {
  std::uint8_t bits;
};
struct e5m2 {
  std::uint8_t bits;
};
// NOLINTEND(readability-identifier-naming)

#if SIMT_ON_DEVICE

__host__ __device__ __forceinline__ float to_float(float x) { return x; }
__host__ __device__ __forceinline__ float to_float(f16 x) { return __half2float(__half(__half_raw{x.bits})); }
__host__ __device__ __forceinline__ float to_float(bf16 x) {
  return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{x.bits}));
}
__host__ __device__ __forceinline__ float to_float(e4m3 x) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E4M3)));
}
__host__ __device__ __forceinline__ float to_float(e5m2 x) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E5M2)));
}

template <typename T>
__host__ __device__ __forceinline__ T from_float(float x);
template <>
__host__ __device__ __forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__host__ __device__ __forceinline__ f16 from_float<f16>(float x) {
  return {static_cast<__half_raw>(__float2half_rn(x)).x};
}
template <>
__host__ __device__ __forceinline__ bf16 from_float<bf16>(float x) {
  return {static_cast<__nv_bfloat16_raw>(__float2bfloat16_rn(x)).x};
}
template <>
__host__ __device__ __forceinline__ e4m3 from_float<e4m3>(float x) {
  return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)};
}
template <>
__host__ __device__ __forceinline__ e5m2 from_float<e5m2>(float x) {
  return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)};
}

#else

/// One format: how many bits its exponent and its fraction have, and what its largest codes mean.
struct NumberFormat {
  unsigned exponent_bits;
  unsigned fraction_bits;
  std::uint32_t largest;    ///< code that numbers beyond the range become: infinity, or the largest number
  std::uint32_t nan;        ///< code that a NaN becomes
  std::uint32_t first_nan;  ///< codes from here on are NaN
};
inline constexpr NumberFormat kF16{5, 10, 0x7C00, 0x7FFF, 0x7C01};
inline constexpr NumberFormat kBf16{8, 7, 0x7F80, 0x7FFF, 0x7F81};
inline constexpr NumberFormat kE4m3{4, 3, 0x7E, 0x7F, 0x7F};
inline constexpr NumberFormat kE5m2{5, 2, 0x7B, 0x7F, 0x7D};

/// bits / 2^shift, rounded to the nearest, ties to even.
constexpr std::uint32_t rounded_shift(std::uint32_t bits, unsigned shift) {
  if (shift == 0) return bits;
  if (shift > 25) return 0;  // less than half of the last place
  return (bits + ((1U << (shift - 1)) - 1) + ((bits >> shift) & 1U)) >> shift;
}

/// The code of a float that is given as its bits.
constexpr std::uint32_t encode(const NumberFormat& format, std::uint32_t bits) {
  const unsigned sign_shift = 31 - format.exponent_bits - format.fraction_bits;
  const std::uint32_t sign = (bits & 0x80000000U) >> sign_shift;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return format.nan;
  const unsigned dropped = 23 - format.fraction_bits;
  const std::uint32_t rebias = 127U - ((1U << (format.exponent_bits - 1)) - 1);
  const std::uint32_t exponent = magnitude >> 23U;
  std::uint32_t code = 0;
  if (exponent > rebias) {
    code = rounded_shift(magnitude - (rebias << 23U), dropped);
  } else {  // below the smallest normal number: the fraction with its leading one, moved further to the right
    const std::uint32_t lowest = exponent == 0 ? 1 : exponent;
    const std::uint32_t significand = (magnitude & 0x7FFFFFU) | (exponent == 0 ? 0U : 0x800000U);
    code = rounded_shift(significand, dropped + rebias + 1 - lowest);
  }
  return sign | (code < format.largest ? code : format.largest);
}

/// The float of a code, as its bits.
inline std::uint32_t decode(const NumberFormat& format, std::uint32_t code) {
  const unsigned width = format.exponent_bits + format.fraction_bits;
  const std::uint32_t sign = (code >> width) << 31U;
  const std::uint32_t magnitude = code & ((1U << width) - 1);
  if (magnitude >= format.first_nan) return sign | 0x7FC00000U | (magnitude << (23 - format.fraction_bits));
  const std::uint32_t rebias = 127U - ((1U << (format.exponent_bits - 1)) - 1);
  const std::uint32_t exponent = magnitude >> format.fraction_bits;
  const bool has_fraction = (magnitude & ((1U << format.fraction_bits) - 1)) != 0;
  if (magnitude + 1 == format.first_nan && !has_fraction) return sign | 0x7F800000U;  // infinity; e4m3 has none
  if (exponent != 0) return sign | ((magnitude << (23 - format.fraction_bits)) + (rebias << 23U));
  if (format.exponent_bits == 8) return sign | (magnitude << (23 - format.fraction_bits));
  // Subnormal: a multiple of the smallest number, 2^(1 - bias - fraction bits).
  std::uint32_t unit_bits = (rebias + 1 - format.fraction_bits) << 23U;
  float unit = 0;
  std::memcpy(&unit, &unit_bits, sizeof unit);
  const float value = static_cast<float>(magnitude) * unit;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return sign | bits;
}

inline float decoded(const NumberFormat& format, std::uint32_t code) {
  const std::uint32_t bits = decode(format, code);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint32_t encoded(const NumberFormat& format, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return encode(format, bits);
}

inline float to_float(float x) { return x; }
inline float to_float(f16 x) { return decoded(kF16, x.bits); }
inline float to_float(bf16 x) { return decoded(kBf16, x.bits); }
inline float to_float(e4m3 x) { return decoded(kE4m3, x.bits); }
inline float to_float(e5m2 x) { return decoded(kE5m2, x.bits); }

template <typename T>
T from_float(float x);
template <>
inline float from_float<float>(float x) {
  return x;
}
template <>
inline f16 from_float<f16>(float x) {
  return {static_cast<std::uint16_t>(encoded(kF16, x))};
}
template <>
inline bf16 from_float<bf16>(float x) {
  return {static_cast<std::uint16_t>(encoded(kBf16, x))};
}
template <>
inline e4m3 from_float<e4m3>(float x) {
  return {static_cast<std::uint8_t>(encoded(kE4m3, x))};
}
template <>
inline e5m2 from_float<e5m2>(float x) {
  return {static_cast<std::uint8_t>(encoded(kE5m2, x))};
}

#endif

/// Two 16-bit numbers in one register, as the matrix instructions want them.
template <typename T>
__host__ __device__ __forceinline__ std::uint32_t pack2(T low, T high) {
  static_assert(sizeof(T) == 2, "a register holds two 16-bit numbers");
  return std::uint32_t{low.bits} | std::uint32_t{high.bits} << 16U;
}
/// The same of two floats, rounded to T. A device does it in one instruction.
template <typename T>
__device__ __forceinline__ std::uint32_t rounded_pair(float low, float high);
#if SIMT_ON_DEVICE
template <>
__device__ __forceinline__ std::uint32_t rounded_pair<f16>(float low, float high) {
  const __half2_raw pair = __floats2half2_rn(low, high);
  return pack2(f16{pair.x}, f16{pair.y});
}
template <>
__device__ __forceinline__ std::uint32_t rounded_pair<bf16>(float low, float high) {
  const __nv_bfloat162_raw pair = __floats2bfloat162_rn(low, high);
  return pack2(bf16{pair.x}, bf16{pair.y});
}
#else
template <typename T>
std::uint32_t rounded_pair(float low, float high) {
  return pack2(from_float<T>(low), from_float<T>(high));
}
#endif
template <typename T>
__host__ __device__ __forceinline__ T low_half(std::uint32_t pair) {
  return {static_cast<std::uint16_t>(pair)};
}
template <typename T>
__host__ __device__ __forceinline__ T high_half(std::uint32_t pair) {
  return {static_cast<std::uint16_t>(pair >> 16U)};
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
