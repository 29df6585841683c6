#include "cpu_reference/quant/q8_0.h"

#include <cmath>

#include "cpu_reference/quant/scale.h"

namespace kvarium::cpu {

void dequantize_q8_0(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ8_0::kNumbers; ++b, out += BlockQ8_0::kNumbers) {
    const BlockQ8_0& block = blocks_of<BlockQ8_0>(row)[b];
    const float scale = block.scale.widened();
    for (Index i = 0; i < BlockQ8_0::kNumbers; i += kLanes) store_lanes(scale * int8_lanes(block.quants + i), out + i);
  }
}

void quantize_q8_0(const float* numbers, Index columns, std::byte* row) {
  for (Index b = 0; b < columns / BlockQ8_0::kNumbers; ++b, numbers += BlockQ8_0::kNumbers) {
    const float scale = std::abs(largest_in_size(numbers, BlockQ8_0::kNumbers)) / 127;
    const float inverse = inverse_of(scale);
    BlockQ8_0& block = blocks_of<BlockQ8_0>(row)[b];
    block.scale.set(scale);
    for (Index i = 0; i < BlockQ8_0::kNumbers; ++i) {
      block.quants[i] = static_cast<std::int8_t>(std::round(numbers[i] * inverse));
    }
  }
}

}  // namespace kvarium::cpu
