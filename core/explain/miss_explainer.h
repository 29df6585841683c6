#pragma once
// Why did this part of a prompt not hit? Asked of the events alone, for each block of a request's text: who else has
// computed the same, whether it could be found, and what became of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kvarium {

/// The first reason that applies, in this order.
enum class BlockFate : std::uint8_t {
  hit,
  wrong_hit,      ///< found under the same hash, but it holds other tokens: a collision
  no_cache,       ///< this engine keeps no prefixes
  swapped,        ///< it came back from the host and nothing was looked up
  partial,        ///< below the block floor: only full blocks are kept
  last_token,     ///< at least one token must be computed, to get logits
  behind_a_miss,  ///< it can be found, but a hit has no gaps
  evicted,        ///< to make room for request `by`
  expired,        ///< nobody used it for as long as cached blocks live
  emptied,        ///< the whole cache was emptied
  other_scope,    ///< the same tokens are cached for another salt, adapter or image, computed by `by`
  same_step,      ///< `by` computes it in the same step
  not_kept_yet,   ///< `by` has computed it and still runs: a radix tree keeps an answer when its request ends
  lost,           ///< `by` computed it and was preempted or aborted before it was kept
  parts_within,   ///< its first tokens are those that `by` computed, and then the two texts part
  never_computed,
};

/// Positions [first, first + count) of the request's text: one block of it.
struct BlockReason {
  std::uint32_t first = 0, count = 0;
  BlockFate fate{};
  std::optional<RequestId> by;   ///< the other request, as the fate says; of a hit: who computed it
  std::uint32_t equal = 0;       ///< of parts_within: tokens of this block that are the same
  std::uint64_t step = 0;        ///< of the eviction, the loss, or the computation of a hit; 0: none
  std::optional<BlockId> block;  ///< where it is, of hit and behind_a_miss
  bool operator==(const BlockReason&) const = default;
};

struct MissExplanation {
  RequestId request{};
  std::uint64_t step = 0;     ///< of the admission
  std::uint32_t resumed = 0;  ///< preemptions before it; 0: the first admission
  std::uint32_t hit_tokens = 0;
  std::vector<BlockReason> blocks;  ///< [blocks of its text], the last one may be partial
};

/// Of the request's last admission among the first `end` events of the trace. Nothing for a request that was not
/// admitted yet, that was forked, or when there were no blocks then. MisuseError when there is no such request.
std::optional<MissExplanation> explain_misses(const Trace& trace, RequestId request, std::size_t end = SIZE_MAX);

/// One sentence, without the tokens that it is about: "It was evicted in step 5 to make room for request C."
std::string sentence(const BlockReason& reason, RequestId request);

}  // namespace kvarium
