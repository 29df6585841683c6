#pragma once
// Q4_K: 256 numbers of 4 bits in 8 groups of 32. Each group has a scale and a minimum of 6 bits, which the block's two
// F16 numbers scale in turn. 4.5 bits a number.
//   number[32 g + i] = (scale * group_scale[g]) * q[32 g + i] - minimum_scale * group_minimum[g]
// Groups 2k and 2k + 1 share 32 bytes of `quants`: byte 32 k + i holds q of the even group in its lower half.

#include <cstddef>
#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/quant/block.h"

namespace kvarium::cpu {

struct BlockQ4_K {
  static constexpr Index kNumbers = 256;
  BlockScale scale;
  BlockScale minimum_scale;
  /// 16 numbers of 6 bits. For g < 4, byte g holds group_scale[g] and byte 4 + g group_minimum[g] in the lower 6 bits;
  /// their upper 2 bits are the upper bits of group_scale[g + 4] and group_minimum[g + 4], whose lower 4 bits are the
  /// lower and the upper half of byte 8 + g.
  std::uint8_t group_scales[12];
  std::uint8_t quants[kNumbers / 2];
};
static_assert(sizeof(BlockQ4_K) == 144);

/// `columns` is a multiple of 256.
void dequantize_q4_k(const std::byte* row, Index columns, float* out);

}  // namespace kvarium::cpu
