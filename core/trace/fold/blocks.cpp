// Blocks and regions change hands; the prefix cache finds them or forgets them.

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/trace/fold/folder.h"

namespace kvarium {

void Folder::operator()(const BlockAllocated& e) {
  must_take_blocks(e.request);
  BlockState& allocated = block(e.block);
  if (world_.free_blocks.empty() || world_.free_blocks.front() != e.block) {
    cannot_follow("block " + std::to_string(value(e.block)) + " is not at the head of the free queue");
  }
  edit(e.request).table.push_back(e.block);
  hand_out(allocated);
}

void Folder::operator()(const BlockCopied& e) {
  must_be_entry(e.request, e.logical, e.from);
  BlockState& from = block(e.from);
  BlockState& to = block(e.to);
  if (world_.free_blocks.empty() || world_.free_blocks.front() != e.to) {
    cannot_follow("block " + std::to_string(value(e.to)) + " is not at the head of the free queue");
  }
  if (from.ref_count < 2) cannot_follow("a block that nobody else holds is copied");
  if (e.tokens > world_.block_size) cannot_follow("more tokens are copied than a block holds");
  edit(e.request).table[e.logical] = e.to;
  --from.ref_count;
  hand_out(to);
  to.written = std::min(e.tokens, from.written);
  to.written_step = world_.step;
  to.writer = from.writer;
  to.writer_logical = from.writer_logical;
  ++world_.copies.blocks;
  world_.copies.tokens += e.tokens;
}

void Folder::operator()(const BlockReplaced& e) {
  must_be_entry(e.request, e.logical, e.from);
  BlockState& from = block(e.from);
  BlockState& to = block(e.to);
  if (from.ref_count == 0 || to.ref_count == 0) cannot_follow("a free block is replaced, or takes another's place");
  edit(e.request).table[e.logical] = e.to;
  ++to.ref_count;
  let_go(from, e.from);
}

void Folder::operator()(const BlockShared& e) {
  must_take_blocks(e.request);
  BlockState& shared = block(e.block);
  if (shared.ref_count == 0 || e.ref_count == 0 || shared.ref_count != e.ref_count - 1) {
    cannot_follow("the shared block's ref count");
  }
  edit(e.request).table.push_back(e.block);
  ++shared.ref_count;
}

void Folder::operator()(const BlockReused& e) {
  must_take_blocks(e.request);
  BlockState& reused = block(e.block);
  if (!world_.free_blocks.contains(e.block)) {
    cannot_follow("block " + std::to_string(value(e.block)) + " is not in the free queue");
  }
  edit(e.request).table.push_back(e.block);
  world_.free_blocks.remove(e.block);
  reused.ref_count = 1;
}

// A faulty engine may release what the table does not name, or not name last: violations() tells.
void Folder::operator()(const BlockReleased& e) {
  look(e.request);
  BlockState& released = block(e.block);
  if (released.ref_count == 0 || released.ref_count - 1 != e.ref_count) {
    cannot_follow("the released block's ref count");
  }
  if (e.ref_count == 0 && e.place == QueuePlace::behind_last_head && !world_.free_blocks.has_last_front()) {
    cannot_follow("no released block is at the head of the free queue");
  }
  RequestState& request = edit(e.request);
  const auto entry = std::find(request.table.rbegin(), request.table.rend(), e.block);
  if (entry != request.table.rend()) {
    const auto at = std::prev(entry.base());
    const auto before = static_cast<std::uint64_t>(at - request.table.begin()) * world_.block_size;
    request.computed_tokens = clipped(request.computed_tokens, before);
    request.table.erase(at);
  }
  --released.ref_count;
  if (released.ref_count == 0) join_free_queue(e.block, e.place);
}

void Folder::operator()(const RegionReserved& e) {
  if (look(e.request).region) cannot_follow("request " + letter(e.request) + " has a region already");
  if (e.first_slot > world_.arena_slots || e.num_slots > world_.arena_slots - e.first_slot) {
    cannot_follow("the region lies outside the contiguous pool");
  }
  if (!look(e.request).table.empty()) cannot_follow("request " + letter(e.request) + " has blocks already");
  edit(e.request).region = Region{e.first_slot, e.num_slots};
}

void Folder::operator()(const RegionReleased& e) {
  if (!look(e.request).region) cannot_follow("request " + letter(e.request) + " has no region");
  RequestState& request = edit(e.request);
  request.region.reset();
  request.computed_tokens = clipped(request.computed_tokens, held_slots(world_, request));
}

void Folder::operator()(const BlockCached& e) {
  const std::vector<BlockId>& table = look(e.request).table;
  BlockState& cached = block(e.block);
  if (e.logical >= table.size() || table[e.logical] != e.block) {
    cannot_follow("the cached block is not entry " + std::to_string(e.logical) + " of the request's table");
  }
  if (cached.hash) cannot_follow("block " + std::to_string(value(e.block)) + " has a hash already");
  cached.hash = e.hash;
  cached.cached_event = world_.events;
}

void Folder::operator()(const BlockEvicted& e) {
  look(e.request);
  BlockState& evicted = block(e.block);
  if (evicted.hash != e.hash) cannot_follow("the evicted block's hash");
  evicted.hash.reset();
  ++world_.evicted_blocks;
  if (!world_.free_blocks.contains(e.block) || world_.free_blocks.front() == e.block) return;
  world_.free_blocks.remove(e.block);
  world_.free_blocks.push_front(e.block);
}

void Folder::operator()(const BlockExpired& e) {
  BlockState& expired = block(e.block);
  if (expired.hash != e.hash) cannot_follow("the expired block's hash");
  expired.hash.reset();
  ++world_.evicted_blocks;
}

void Folder::operator()(const PrefixMatched& e) {
  const RequestState& before = look(e.request);
  const std::uint64_t slots = std::uint64_t{before.table.size()} * world_.block_size;  // what is found is in blocks
  if (e.hit_tokens > e.num_tokens || e.hit_tokens > slots) cannot_follow("more tokens were found than have a slot");
  PrefixCounts& counts = before.preemptions > 0 ? world_.resumed_prefix : world_.prefix;
  if (!adds_up(counts.queried_tokens, e.num_tokens)) cannot_follow("the tokens looked up do not fit in 64 bits");
  RequestState& request = edit(e.request);
  request.computed_tokens = e.hit_tokens;
  if (request.preemptions == 0) request.hit_tokens = e.hit_tokens;
  counts.queried_tokens += e.num_tokens;
  counts.hit_tokens += e.hit_tokens;  // never more than those looked up
}

void Folder::operator()(const PrefixCacheReset&) {
  for (BlockState& state : world_.blocks) state.hash.reset();
}

}  // namespace kvarium
