#pragma once
// First in, first out: the block that was written first goes first, however often it was used since.

#include "core/eviction/keyed_policy.h"

namespace kvarium {

struct FifoKey {
  using Type = std::uint64_t;
  static Type of(const BlockUse& use) { return use.inserted; }
};
using FifoPolicy = KeyedPolicy<FifoKey>;

}  // namespace kvarium
