#pragma once
// Blocks lie in files on any boundary, so their structs are made of bytes only.

#include <cstddef>
#include <cstdint>

#include "cpu_reference/lanes.h"
#include "cpu_reference/quant/half_types.h"

namespace kvarium::cpu {

/// The blocks of a row.
template <class Block>
const Block* blocks_of(const std::byte* row) {
  static_assert(alignof(Block) == 1);
  return reinterpret_cast<const Block*>(row);
}
template <class Block>
Block* blocks_of(std::byte* row) {
  static_assert(alignof(Block) == 1);
  return reinterpret_cast<Block*>(row);
}

/// out[i] = scale * quants[i] for 16 numbers
template <Index kFirst = 0>
void write_16(SmallInts quants, float scale, float* out) {
  store_lanes(scale * to_lanes<kFirst>(quants), out + kFirst);
  if constexpr (kFirst + kLanes < 16) write_16<kFirst + kLanes>(quants, scale, out);
}
/// out[i] = scale * quants[i] + offset for 16 numbers
template <Index kFirst = 0>
void write_16(SmallInts quants, float scale, float offset, float* out) {
  store_lanes(scale * to_lanes<kFirst>(quants) + offset, out + kFirst);
  if constexpr (kFirst + kLanes < 16) write_16<kFirst + kLanes>(quants, scale, offset, out);
}

/// An F16 number inside a block, lowest byte first.
struct BlockScale {
  std::uint8_t bytes[2];

  float widened() const { return f16_to_f32(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8)); }
  void set(float number) {
    const std::uint16_t half = f32_to_f16(number);
    bytes[0] = static_cast<std::uint8_t>(half);
    bytes[1] = static_cast<std::uint8_t>(half >> 8);
  }
};

}  // namespace kvarium::cpu
