#pragma once
// Q5_0 and Q5_1: as Q4_0 and Q4_1 with a fifth bit a number. 5.5 and 6 bits a number.
//   Q5_0: number[i] = scale * (q[i] - 16)     scale = the number of largest size / -16
//   Q5_1: number[i] = scale * q[i] + minimum  scale = (max - min) / 31
// The lower 4 bits of q[i] and q[i + 16] are the halves of byte i; the fifth bit of q[i] is bit i of `fifth_bits`.

#include <cstddef>
#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/quant/block.h"

namespace kvarium::cpu {

struct BlockQ5_0 {
  static constexpr Index kNumbers = 32;
  BlockScale scale;
  std::uint8_t fifth_bits[4];  ///< a 32-bit number, lowest byte first
  std::uint8_t quants[kNumbers / 2];
};
static_assert(sizeof(BlockQ5_0) == 22);

struct BlockQ5_1 {
  static constexpr Index kNumbers = 32;
  BlockScale scale;
  BlockScale minimum;
  std::uint8_t fifth_bits[4];
  std::uint8_t quants[kNumbers / 2];
};
static_assert(sizeof(BlockQ5_1) == 24);

/// `columns` is a multiple of 32.
void dequantize_q5_0(const std::byte* row, Index columns, float* out);
void dequantize_q5_1(const std::byte* row, Index columns, float* out);
void quantize_q5_0(const float* numbers, Index columns, std::byte* row);
void quantize_q5_1(const float* numbers, Index columns, std::byte* row);

}  // namespace kvarium::cpu
