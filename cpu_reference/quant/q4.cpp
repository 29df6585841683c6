#include "cpu_reference/quant/q4.h"

#include "cpu_reference/quant/scale.h"

namespace kvarium::cpu {
namespace {

constexpr Index kHalf = BlockQ4_0::kNumbers / 2;

std::uint8_t pack(std::uint8_t low, std::uint8_t high) { return static_cast<std::uint8_t>(low | (high << 4)); }

}  // namespace

void dequantize_q4_0(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ4_0::kNumbers; ++b, out += BlockQ4_0::kNumbers) {
    const BlockQ4_0& block = blocks_of<BlockQ4_0>(row)[b];
    const float scale = block.scale.widened();
    const Bits packed = load_16<Bits>(block.quants);
    write_16(reinterpret_cast<SmallInts>((packed & 15) - 8), scale, out);
    write_16(reinterpret_cast<SmallInts>((packed >> 4) - 8), scale, out + kHalf);
  }
}

void dequantize_q4_1(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ4_1::kNumbers; ++b, out += BlockQ4_1::kNumbers) {
    const BlockQ4_1& block = blocks_of<BlockQ4_1>(row)[b];
    const float scale = block.scale.widened(), minimum = block.minimum.widened();
    const Bits packed = load_16<Bits>(block.quants);
    write_16(reinterpret_cast<SmallInts>(packed & 15), scale, minimum, out);
    write_16(reinterpret_cast<SmallInts>(packed >> 4), scale, minimum, out + kHalf);
  }
}

void quantize_q4_0(const float* numbers, Index columns, std::byte* row) {
  for (Index b = 0; b < columns / BlockQ4_0::kNumbers; ++b, numbers += BlockQ4_0::kNumbers) {
    const float scale = largest_in_size(numbers, BlockQ4_0::kNumbers) / -8;
    const float inverse = inverse_of(scale);
    const auto quant = [&](Index i) { return floor_into(numbers[i] * inverse + 8.5F, 15); };
    BlockQ4_0& block = blocks_of<BlockQ4_0>(row)[b];
    block.scale.set(scale);
    for (Index i = 0; i < kHalf; ++i) block.quants[i] = pack(quant(i), quant(i + kHalf));
  }
}

void quantize_q4_1(const float* numbers, Index columns, std::byte* row) {
  for (Index b = 0; b < columns / BlockQ4_1::kNumbers; ++b, numbers += BlockQ4_1::kNumbers) {
    const auto [least, most] = std::minmax_element(numbers, numbers + BlockQ4_1::kNumbers);
    const float minimum = *least, scale = (*most - *least) / 15;
    const float inverse = inverse_of(scale);
    const auto quant = [&](Index i) { return floor_into((numbers[i] - minimum) * inverse + 0.5F, 15); };
    BlockQ4_1& block = blocks_of<BlockQ4_1>(row)[b];
    block.scale.set(scale);
    block.minimum.set(minimum);
    for (Index i = 0; i < kHalf; ++i) block.quants[i] = pack(quant(i), quant(i + kHalf));
  }
}

}  // namespace kvarium::cpu
