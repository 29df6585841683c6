#include "cpu_reference/quant/q5.h"

#include "cpu_reference/quant/scale.h"

namespace kvarium::cpu {
namespace {

constexpr Index kHalf = BlockQ5_0::kNumbers / 2;

/// 16 for each bit that is set, of two bytes.
Bits sixteens(const std::uint8_t* bits) {
  const std::uint8_t a = bits[0], b = bits[1];
  const Bits repeated = {a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b};
  const Bits each = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  return reinterpret_cast<Bits>((repeated & each) != 0) & 16;
}

template <class Block>
struct Quants {
  explicit Quants(const Block& block) {
    const Bits packed = load_16<Bits>(block.quants);
    first = (packed & 15) | sixteens(block.fifth_bits);
    second = (packed >> 4) | sixteens(block.fifth_bits + 2);
  }
  Bits first, second;  ///< q[0..15] and q[16..31], in [0, 31]
};

template <class Block>
void pack(const std::uint8_t* quants, Block& block) {
  for (std::uint8_t& byte : block.fifth_bits) byte = 0;
  for (Index i = 0; i < Block::kNumbers; ++i) {
    block.fifth_bits[i / 8] = static_cast<std::uint8_t>(block.fifth_bits[i / 8] | (quants[i] >> 4) << (i % 8));
  }
  for (Index i = 0; i < kHalf; ++i) {
    block.quants[i] = static_cast<std::uint8_t>((quants[i] & 15) | (quants[i + kHalf] & 15) << 4);
  }
}

}  // namespace

void dequantize_q5_0(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ5_0::kNumbers; ++b, out += BlockQ5_0::kNumbers) {
    const BlockQ5_0& block = blocks_of<BlockQ5_0>(row)[b];
    const float scale = block.scale.widened();
    const Quants quants(block);
    write_16(reinterpret_cast<SmallInts>(quants.first - 16), scale, out);
    write_16(reinterpret_cast<SmallInts>(quants.second - 16), scale, out + kHalf);
  }
}

void dequantize_q5_1(const std::byte* row, Index columns, float* __restrict out) {
  for (Index b = 0; b < columns / BlockQ5_1::kNumbers; ++b, out += BlockQ5_1::kNumbers) {
    const BlockQ5_1& block = blocks_of<BlockQ5_1>(row)[b];
    const float scale = block.scale.widened(), minimum = block.minimum.widened();
    const Quants quants(block);
    write_16(reinterpret_cast<SmallInts>(quants.first), scale, minimum, out);
    write_16(reinterpret_cast<SmallInts>(quants.second), scale, minimum, out + kHalf);
  }
}

void quantize_q5_0(const float* numbers, Index columns, std::byte* row) {
  for (Index b = 0; b < columns / BlockQ5_0::kNumbers; ++b, numbers += BlockQ5_0::kNumbers) {
    const float scale = largest_in_size(numbers, BlockQ5_0::kNumbers) / -16;
    const float inverse = inverse_of(scale);
    std::uint8_t quants[BlockQ5_0::kNumbers];
    for (Index i = 0; i < BlockQ5_0::kNumbers; ++i) quants[i] = floor_into(numbers[i] * inverse + 16.5F, 31);
    BlockQ5_0& block = blocks_of<BlockQ5_0>(row)[b];
    block.scale.set(scale);
    pack(quants, block);
  }
}

void quantize_q5_1(const float* numbers, Index columns, std::byte* row) {
  for (Index b = 0; b < columns / BlockQ5_1::kNumbers; ++b, numbers += BlockQ5_1::kNumbers) {
    const auto [least, most] = std::minmax_element(numbers, numbers + BlockQ5_1::kNumbers);
    const float minimum = *least, scale = (*most - *least) / 31;
    const float inverse = inverse_of(scale);
    std::uint8_t quants[BlockQ5_1::kNumbers];
    for (Index i = 0; i < BlockQ5_1::kNumbers; ++i) quants[i] = floor_into((numbers[i] - minimum) * inverse + 0.5F, 31);
    BlockQ5_1& block = blocks_of<BlockQ5_1>(row)[b];
    block.scale.set(scale);
    block.minimum.set(minimum);
    pack(quants, block);
  }
}

}  // namespace kvarium::cpu
