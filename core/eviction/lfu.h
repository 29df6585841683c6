#pragma once
// Least frequently used: what was used fewest times since it came goes first; of equals, the least recently used.
// Counts are not kept for blocks that have gone: one that comes back starts at 1 again.

#include <utility>

#include "core/eviction/keyed_policy.h"

namespace kvarium {

struct LfuKey {
  using Type = std::pair<std::uint32_t, std::uint64_t>;
  static Type of(const BlockUse& use) { return {use.count, use.last_use}; }
};
using LfuPolicy = KeyedPolicy<LfuKey>;

}  // namespace kvarium
