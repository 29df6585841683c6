#include "cpu_reference/quant/q6_k.h"

namespace kvarium::cpu {

void dequantize_q6_k(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ6_K::kNumbers; ++b) {
    const BlockQ6_K& block = blocks_of<BlockQ6_K>(row)[b];
    const float block_scale = block.scale.widened();
    for (Index half = 0; half < 2; ++half, out += 128) {
      for (Index i = 0; i < 32; i += 16) {  // 16 numbers of each quarter
        const Bits low = load_16<Bits>(block.low_bits + 64 * half + i);
        const Bits more_low = load_16<Bits>(block.low_bits + 64 * half + 32 + i);
        const Bits high = load_16<Bits>(block.high_bits + 32 * half + i);
        const auto write = [&](Index quarter, Bits quants) {
          const float scale = block_scale * static_cast<float>(block.group_scales[8 * half + 2 * quarter + i / 16]);
          write_16(reinterpret_cast<SmallInts>(quants - 32), scale, out + 32 * quarter + i);
        };
        write(0, (low & 15) | (high & 3) << 4);
        write(1, (more_low & 15) | (high >> 2 & 3) << 4);
        write(2, (low >> 4) | (high >> 4 & 3) << 4);
        write(3, (more_low >> 4) | (high >> 6) << 4);
      }
    }
  }
}

}  // namespace kvarium::cpu
