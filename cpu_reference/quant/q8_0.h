#pragma once
// Q8_0: 32 numbers share one scale, each is a signed byte. 8.5 bits a number.
//   number[i] = scale * quants[i],   quants[i] = round(number[i] / scale),   scale = max |number| / 127

#include <cstddef>
#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/quant/block.h"

namespace kvarium::cpu {

struct BlockQ8_0 {
  static constexpr Index kNumbers = 32;
  BlockScale scale;
  std::int8_t quants[kNumbers];
};
static_assert(sizeof(BlockQ8_0) == 34);

/// `columns` is a multiple of 32.
void dequantize_q8_0(const std::byte* row, Index columns, float* out);
void quantize_q8_0(const float* numbers, Index columns, std::byte* row);

}  // namespace kvarium::cpu
