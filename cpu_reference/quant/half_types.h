#pragma once
// The two 16-bit floating-point types of weights, as bits in a std::uint16_t.
//   F16, IEEE 754 binary16: sign 1, exponent 5 (bias 15), fraction 10. Largest 65504, smallest 2^-24.
//   BF16, the upper half of a float: sign 1, exponent 8 (bias 127), fraction 7. The range of a float, 3 digits.
// Both widen to float exactly. Narrowing rounds to the nearest, ties to the even fraction.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu_reference/lanes.h"

namespace kvarium::cpu {

inline float float_of_bits(std::uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

inline std::uint32_t bits_of_float(float number) {
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// For processors without an instruction for it. Without branches, so that a loop of it becomes vector instructions.
inline float f16_to_f32_by_bits(std::uint16_t half) {
  constexpr std::uint32_t kInfinity = 0x7C00U, kSmallestNormal = 0x0400U;
  constexpr std::uint32_t kRebias = 112U << 23U;  // the biases of the exponents differ by 127 - 15
  const std::uint32_t magnitude = half & 0x7FFFU;
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  // An exponent of all ones (infinity, NaN) stays all ones: the distance counts twice.
  const std::uint32_t normal = (magnitude << 13U) + kRebias + (magnitude >= kInfinity ? kRebias : 0U);
  const std::uint32_t subnormal = bits_of_float(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  return float_of_bits(sign | (magnitude < kSmallestNormal ? subnormal : normal));
}

inline float f16_to_f32(std::uint16_t half) {
#if defined(__F16C__)
  return _cvtsh_ss(half);
#else
  return f16_to_f32_by_bits(half);
#endif
}

inline std::uint16_t f32_to_f16(float number) {
  const std::uint32_t bits = bits_of_float(number);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U;  // NaN
  } else if (magnitude >= 0x477FF000U) {
    half = 0x7C00U;  // 65520 and more rounds to infinity
  } else if (magnitude < 0x38800000U) {
    half = static_cast<std::uint32_t>(std::nearbyint(float_of_bits(magnitude) * 0x1p24F));  // below 2^-14: subnormal
  } else {
    const std::uint32_t to_even = 0xFFFU + ((magnitude >> 13U) & 1U);
    half = (magnitude - (112U << 23U) + to_even) >> 13U;
  }
  return static_cast<std::uint16_t>(sign | half);
}

inline float bf16_to_f32(std::uint16_t half) { return float_of_bits(std::uint32_t{half} << 16U); }

inline std::uint16_t f32_to_bf16(float number) {
  const std::uint32_t bits = bits_of_float(number);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);  // a quiet NaN
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

/// kLanes numbers, on any boundary.
inline Lanes f16_lanes(const std::byte* halves) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves)));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
#else
  std::uint16_t numbers[kLanes];
  std::memcpy(numbers, halves, sizeof numbers);
  Lanes lanes;
  for (Index i = 0; i < kLanes; ++i) lanes[i] = f16_to_f32(numbers[i]);
  return lanes;
#endif
}

inline Lanes bf16_lanes(const std::byte* halves) {
#if defined(__AVX512F__)
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
#elif defined(__AVX2__)
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
#else
  std::uint16_t numbers[kLanes];
  std::memcpy(numbers, halves, sizeof numbers);
  Lanes lanes;
  for (Index i = 0; i < kLanes; ++i) lanes[i] = bf16_to_f32(numbers[i]);
  return lanes;
#endif
}

/// Rows of `columns` numbers, on any boundary.
void dequantize_f16(const std::byte* row, Index columns, float* out);
void dequantize_bf16(const std::byte* row, Index columns, float* out);
void quantize_f16(const float* numbers, Index columns, std::byte* row);
void quantize_bf16(const float* numbers, Index columns, std::byte* row);

}  // namespace kvarium::cpu
