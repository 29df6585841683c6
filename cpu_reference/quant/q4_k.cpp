#include "cpu_reference/quant/q4_k.h"

namespace kvarium::cpu {
namespace {

struct Group {
  float scale, minimum;
};

Group group_of(const BlockQ4_K& block, Index g) {
  const std::uint8_t* packed = block.group_scales;
  int scale = packed[g] & 63, minimum = packed[g + 4] & 63;
  if (g >= 4) {
    scale = (packed[g + 4] & 15) | packed[g - 4] >> 6 << 4;
    minimum = packed[g + 4] >> 4 | packed[g] >> 6 << 4;
  }
  return {block.scale.widened() * static_cast<float>(scale),
          block.minimum_scale.widened() * static_cast<float>(minimum)};
}

}  // namespace

void dequantize_q4_k(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ4_K::kNumbers; ++b) {
    const BlockQ4_K& block = blocks_of<BlockQ4_K>(row)[b];
    for (Index pair = 0; pair < 4; ++pair, out += 64) {
      const Group even = group_of(block, 2 * pair), odd = group_of(block, 2 * pair + 1);
      for (Index i = 0; i < 32; i += 16) {
        const Bits packed = load_16<Bits>(block.quants + 32 * pair + i);
        write_16(reinterpret_cast<SmallInts>(packed & 15), even.scale, -even.minimum, out + i);
        write_16(reinterpret_cast<SmallInts>(packed >> 4), odd.scale, -odd.minimum, out + 32 + i);
      }
    }
  }
}

}  // namespace kvarium::cpu
