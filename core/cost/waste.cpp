#include "core/cost/waste.h"

#include <string>

#include "core/cost/checked_math.h"

namespace kvarium {

Waste paged_waste(const std::vector<std::uint64_t>& lengths, std::uint64_t block_size) {
  if (block_size == 0) throw InputError("block size 0: a block must hold at least 1 token");
  Waste waste;
  for (const std::uint64_t length : lengths) {
    const std::uint64_t blocks = length / block_size + (length % block_size == 0 ? 0 : 1);
    waste.used = checked_add(waste.used, length);
    waste.reserved = checked_add(waste.reserved, checked_multiply(blocks, block_size));
    waste.table_entries = checked_add(waste.table_entries, blocks);
  }
  return waste;
}

Waste contiguous_waste(const std::vector<std::uint64_t>& lengths, std::uint64_t max_length) {
  Waste waste;
  for (const std::uint64_t length : lengths) {
    if (length > max_length) {
      throw InputError("a request of " + std::to_string(length) + " tokens is longer than the longest possible, " +
                       std::to_string(max_length));
    }
    waste.used = checked_add(waste.used, length);
    waste.reserved = checked_add(waste.reserved, max_length);
    ++waste.table_entries;
  }
  return waste;
}

}  // namespace kvarium
