#pragma once
// The invariants of speculative decoding, for violations().

#include "core/trace/prefix_invariants.h"
#include "core/trace/world.h"

namespace kvarium {

/// K and V of drafts that were rejected, or that may yet be, are in no block that others can find.
void rejected_drafts_are_not_cached(const World& world, Sentences& wrong);
/// K and V of the drafts of a tree that were accepted are in the slots of their positions when the step is over.
void kept_paths_lie_in_front(const World& world, Sentences& wrong);
/// The draft model's own cache holds K and V of the request's tokens, and within a round of its drafts.
void draft_caches_hold_the_requests_tokens(const World& world, Sentences& wrong);

/// Positions that K and V may be there for: the tokens, and while a round goes on its drafts.
std::uint64_t known_positions(const RequestState& request);

}  // namespace kvarium
