#pragma once
// LengthAware of Mooncake (Qin et al. 2024, arXiv 2407.00079, table 1): like LFU, but of blocks that were
// used equally often the one furthest back in its prompt goes first; of equals still, the least recently used.

#include <cstdint>
#include <tuple>

#include "core/eviction/keyed_policy.h"

namespace kvarium {

struct LengthAwareKey {
  using Type = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  static Type of(const BlockUse& use) { return {use.count, UINT32_MAX - use.position, use.last_use}; }
};
using LengthAwarePolicy = KeyedPolicy<LengthAwareKey>;

}  // namespace kvarium
