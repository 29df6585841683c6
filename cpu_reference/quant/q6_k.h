#pragma once
// Q6_K: 256 numbers of 6 bits in 16 groups of 16, each group with a scale of one signed byte. 6.5625 bits a number.
//   number[16 g + i] = (scale * group_scales[g]) * (q[16 g + i] - 32)
// Each half of the block, 128 numbers, is four quarters of 32: the lower 4 bits of quarter k are in byte
// 32 (k % 2) + i of the half's 64 bytes of `low_bits` (the lower half of the byte for k < 2), the upper 2 bits are bits
// 2k and 2k + 1 of byte i of the half's 32 bytes of `high_bits`.

#include <cstddef>
#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/quant/block.h"

namespace kvarium::cpu {

struct BlockQ6_K {
  static constexpr Index kNumbers = 256;
  std::uint8_t low_bits[kNumbers / 2];
  std::uint8_t high_bits[kNumbers / 4];
  std::int8_t group_scales[kNumbers / 16];
  BlockScale scale;
};
static_assert(sizeof(BlockQ6_K) == 210);

/// `columns` is a multiple of 256.
void dequantize_q6_k(const std::byte* row, Index columns, float* out);

}  // namespace kvarium::cpu
