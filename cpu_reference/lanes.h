#pragma once
// Vectors of the processor's width. GCC's and Clang's vector types become its widest registers, or several narrow ones,
// or plain numbers: one source for every processor.

#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu_reference/matrix.h"

#if defined(__AVX2__) || defined(__AVX512F__) || defined(__F16C__)
#include <immintrin.h>
#endif

namespace kvarium::cpu {

#if defined(__AVX512F__)
constexpr Index kLanes = 16;  ///< floats in a vector register
#elif defined(__AVX__)
constexpr Index kLanes = 8;
#else
constexpr Index kLanes = 4;
#endif

using Lanes = float __attribute__((vector_size(kLanes * 4)));

inline Lanes load_lanes(const float* numbers) {
  Lanes lanes;
  std::memcpy(&lanes, numbers, sizeof lanes);
  return lanes;
}

/// 16 small integers, and 16 bytes of unsigned bit patterns.
using SmallInts = std::int8_t __attribute__((vector_size(16)));
using Bits = std::uint8_t __attribute__((vector_size(16)));

template <class Vector>
Vector load_16(const void* bytes) {
  Vector vector;
  std::memcpy(&vector, bytes, sizeof vector);
  return vector;
}

/// The integers from kFirst on as floats. GCC 12 does not find the instructions itself.
template <Index kFirst>
Lanes to_lanes(SmallInts integers) {
#if defined(__AVX512F__)
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(reinterpret_cast<__m128i>(integers)));
#elif defined(__AVX2__)
  const __m128i from_first = _mm_srli_si128(reinterpret_cast<__m128i>(integers), kFirst);
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(from_first));
#else
  Lanes lanes;
  for (Index i = 0; i < kLanes; ++i) lanes[i] = static_cast<float>(integers[kFirst + i]);
  return lanes;
#endif
}

/// kLanes small integers as floats.
inline Lanes int8_lanes(const std::int8_t* integers) {
  SmallInts some = {};
  std::memcpy(&some, integers, static_cast<std::size_t>(kLanes));
  return to_lanes<0>(some);
}

inline void store_lanes(Lanes lanes, float* numbers) { std::memcpy(numbers, &lanes, sizeof lanes); }

/// Halves are added to each other until one number is left: a fixed order.
template <Index kCount>
float sum_of(const float* numbers) {
  if constexpr (kCount == 1) {
    return numbers[0];
  } else {
    float halves[kCount / 2];
    for (Index i = 0; i < kCount / 2; ++i) halves[i] = numbers[i] + numbers[i + kCount / 2];
    return sum_of<kCount / 2>(halves);
  }
}
inline float sum_of_lanes(Lanes lanes) {
  float numbers[kLanes];
  store_lanes(lanes, numbers);
  return sum_of<kLanes>(numbers);
}

/// Where number `place` of a fold comes from, of the two vectors behind each other: half 0 and half 1 are added.
template <Index kWidth>
constexpr int fold_source(Index place, Index half) {
  const Index segment = place / (kWidth / 2), of_vector = kLanes / kWidth;
  const Index vector = segment / of_vector;
  return static_cast<int>(vector * kLanes + segment % of_vector * kWidth + half * (kWidth / 2) + place % (kWidth / 2));
}
/// a and b each hold kLanes / kWidth segments of kWidth numbers. The upper half of each segment is added to its lower
/// half: one vector of twice as many segments, half as wide.
template <Index kWidth, Index... kPlace>
Lanes fold(Lanes a, Lanes b, std::integer_sequence<Index, kPlace...>) {
  return __builtin_shufflevector(a, b, fold_source<kWidth>(kPlace, 0)...) +
         __builtin_shufflevector(a, b, fold_source<kWidth>(kPlace, 1)...);
}
template <Index kWidth, Index kCount>
Lanes fold_all(const Lanes* vectors) {
  if constexpr (kCount == 1) {
    return vectors[0];
  } else {
    Lanes folded[kCount / 2];
    for (Index i = 0; i < kCount / 2; ++i) {
      folded[i] = fold<kWidth>(vectors[2 * i], vectors[2 * i + 1], std::make_integer_sequence<Index, kLanes>());
    }
    return fold_all<kWidth / 2, kCount / 2>(folded);
  }
}
/// sum_of_lanes() of kLanes vectors at once, with the same bits: each vector is folded in the same order.
inline Lanes sums_of_lanes(const Lanes* vectors) { return fold_all<kLanes, kLanes>(vectors); }

}  // namespace kvarium::cpu
