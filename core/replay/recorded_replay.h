#pragma once
// A replay that can be watched: the same hits and evictions as replay(), told as events of a pool of blocks.
//
// One token of the recording stands for a whole block of the trace: it is the block's id, and the pool's blocks hold
// one token each. A block that is evicted joins the head of the free queue, from wherever it stood, so that any policy
// can be expressed. The pool has room for the cache and, beside it, for the longest prompt, which is computed there
// before the policy says what stays.

#include <cstdint>
#include <optional>

#include "core/replay/replay.h"
#include "core/trace/event_sink.h"

namespace kvarium {

/// As replay(), with the same numbers for the same policy and capacity. Each request is one step: RequestArrived (the
/// time between two arrivals is TimePassed), RequestAdmitted, BlockReused for its hits, PrefixMatched, then BlockReused
/// for blocks that are cached but whose beginning is not, BlockAllocated for the others, KvComputed, BlockCached,
/// BlockReleased tail first, BlockEvicted, RequestFinished. The answer is not played. ModelDescribed and Said tell, at
/// the beginning, what a token is.
/// `on_hits`, if given, is told each request's hit blocks.
/// InputError also when the pool would need more blocks than 32 bits can number.
std::optional<ReplayResult> record_replay(const RequestTrace& trace, EvictionPolicy& policy, std::uint64_t capacity,
                                          EventSink& sink, const OnProgress& on_progress, const CancelToken& cancel,
                                          const std::function<void(std::uint64_t)>& on_hits = {});

}  // namespace kvarium
