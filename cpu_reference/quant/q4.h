#pragma once
// Q4_0 and Q4_1: 32 numbers of 4 bits share a scale, and in Q4_1 a minimum. 4.5 and 5 bits a number.
//   Q4_0: number[i] = scale * (q[i] - 8)      scale = the number of largest size / -8
//   Q4_1: number[i] = scale * q[i] + minimum  scale = (max - min) / 15
// Byte i holds q[i] in its lower half and q[i + 16] in its upper half.

#include <cstddef>
#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/quant/block.h"

namespace kvarium::cpu {

struct BlockQ4_0 {
  static constexpr Index kNumbers = 32;
  BlockScale scale;
  std::uint8_t quants[kNumbers / 2];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ4_1 {
  static constexpr Index kNumbers = 32;
  BlockScale scale;
  BlockScale minimum;
  std::uint8_t quants[kNumbers / 2];
};
static_assert(sizeof(BlockQ4_1) == 20);

/// `columns` is a multiple of 32.
void dequantize_q4_0(const std::byte* row, Index columns, float* out);
void dequantize_q4_1(const std::byte* row, Index columns, float* out);
void quantize_q4_0(const float* numbers, Index columns, std::byte* row);
void quantize_q4_1(const float* numbers, Index columns, std::byte* row);

}  // namespace kvarium::cpu
