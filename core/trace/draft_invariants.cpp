#include "core/trace/draft_invariants.h"

#include <algorithm>

namespace kvarium {

std::uint64_t known_positions(const RequestState& request) {
  const std::uint64_t drafts_end = request.round && request.round->open ? request.round->end() : 0;
  return std::max<std::uint64_t>(request.tokens.size(), drafts_end);
}

void rejected_drafts_are_not_cached(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (!request->round || request->table.empty()) continue;
    std::uint64_t kept = request->computed_tokens;  // within a round the drafts count as computed
    if (request->round->open) kept = std::min<std::uint64_t>(kept, request->round->first + request->round->accepted());
    for (std::size_t i = kept / world.block_size; i < request->table.size(); ++i) {
      const std::size_t block = index(request->table[i]);
      if (block >= world.blocks.size() || (!world.blocks[block].hash && !world.blocks[block].in_tree)) continue;
      report(wrong, "Block {} can be found, but some of its K and V are of drafts that request {} took back.", block,
             letter(request->id));
    }
  }
}

void kept_paths_lie_in_front(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (!request->round || request->round->open || request->round->path_moved) continue;
    if (lies_in_front(request->round->path())) continue;
    report(wrong, "The drafts of request {} that were accepted are not in the slots of their positions.",
           letter(request->id));
  }
}

void draft_caches_hold_the_requests_tokens(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (request->draft_cached <= known_positions(*request)) continue;
    report(wrong, "The draft model keeps K and V of {} tokens of request {}, which has {}.", request->draft_cached,
           letter(request->id), request->tokens.size());
  }
}

}  // namespace kvarium
