#pragma once
// How many blocks so many tokens take.

#include <cstdint>

namespace kvarium {

/// tokens / block_size, rounded up. `block_size` is at least 1; tokens + block_size must fit in 64 bits.
constexpr std::uint64_t blocks_for(std::uint64_t tokens, std::uint32_t block_size) {
  return (tokens + block_size - 1) / block_size;
}

}  // namespace kvarium
