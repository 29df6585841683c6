#pragma once
// Least recently used: what has rested longest goes first. The order that vLLM and SGLang use unless told otherwise.

#include "core/eviction/keyed_policy.h"

namespace kvarium {

struct LruKey {
  using Type = std::uint64_t;
  static Type of(const BlockUse& use) { return use.last_use; }
};
using LruPolicy = KeyedPolicy<LruKey>;

}  // namespace kvarium
