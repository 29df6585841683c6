#pragma once
// Whom to admit first so that what is cached is used before it is evicted (SGLang: schedule_policy.py; Zheng et al.
// 2024, section 3).

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/prefix/prefix_cache.h"
#include "core/scheduling/request.h"

namespace kvarium {

/// What the order depends on, of one waiting request.
struct WaitingPrefix {
  std::span<const TokenId> tokens;
  PrefixHit hit;
};

/// Places in `waiting`, the longest hit first, equals in their order. A request of which hardly anything is cached
/// (at most 32 tokens) but which shares at least 32 tokens with such a request before it goes last: when the earlier
/// one has filled the cache it will hit. More than 128 requests keep their order, because the comparison would cost
/// more than it saves.
std::vector<std::size_t> longest_prefix_order(const std::vector<WaitingPrefix>& waiting);
/// Depth first through the tree of the cached prefixes that are waited for: the branch below which most requests wait
/// first, and those that end at a node after those below it.
std::vector<std::size_t> depth_first_order(const std::vector<WaitingPrefix>& waiting);

std::vector<const LiveRequest*> longest_prefix_first(const std::vector<const LiveRequest*>& waiting);
std::vector<const LiveRequest*> depth_first(const std::vector<const LiveRequest*>& waiting);

}  // namespace kvarium
