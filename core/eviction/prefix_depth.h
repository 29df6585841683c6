#pragma once
// The deepest block of any prompt goes first, however often it was used: shared beginnings stay, long tails go. Of
// blocks equally deep, the least recently used.

#include <cstdint>
#include <utility>

#include "core/eviction/keyed_policy.h"

namespace kvarium {

struct PrefixDepthKey {
  using Type = std::pair<std::uint32_t, std::uint64_t>;
  static Type of(const BlockUse& use) { return {UINT32_MAX - use.position, use.last_use}; }
};
using PrefixDepthPolicy = KeyedPolicy<PrefixDepthKey>;

}  // namespace kvarium
