#pragma once
// How much memory a KV cache reserves and does not use: paged, and with one longest-possible row a request.

#include <cstdint>
#include <vector>

namespace kvarium {

struct Waste {
  std::uint64_t used = 0;           ///< slots (tokens) that hold something
  std::uint64_t reserved = 0;       ///< slots that nobody else can have
  std::uint64_t table_entries = 0;  ///< block numbers to keep: what small blocks cost

  std::uint64_t unused() const { return reserved - used; }
  /// unused / reserved, from 0 to 1; 0 when nothing is reserved.
  double fraction() const {
    return reserved == 0 ? 0.0 : static_cast<double>(unused()) / static_cast<double>(reserved);
  }

  bool operator==(const Waste&) const = default;
};

/// Each request has ceil(length / block_size) blocks. InputError: block_size 0, or the sums do not fit 64 bits.
Waste paged_waste(const std::vector<std::uint64_t>& lengths, std::uint64_t block_size);

/// Each request reserves max_length slots and needs one entry, its first slot. InputError when a request is longer.
Waste contiguous_waste(const std::vector<std::uint64_t>& lengths, std::uint64_t max_length);

}  // namespace kvarium
