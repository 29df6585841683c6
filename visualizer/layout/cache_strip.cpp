#include "visualizer/layout/cache_strip.h"

#include <algorithm>

namespace kvarium::ui::layout {
namespace {

/// What the K and V of a position are worth while the round that wrote them is under way.
CachedState of_draft(const RoundRecord* record, std::uint64_t position) {
  if (record == nullptr || !record->round.open) return CachedState::valid;
  const DraftRound& round = record->round;
  if (position < round.first || position >= round.end()) return CachedState::valid;
  const auto draft = static_cast<std::size_t>(position - round.first);
  if (round.path_moved) return draft < round.accepted() ? CachedState::valid : CachedState::stale;
  if (const DraftTrial* trial = round.trial_of(draft)) {
    return trial->accepted ? CachedState::valid : CachedState::stale;
  }
  return round.rejected() || round.next ? CachedState::stale : CachedState::draft;
}

/// Blocks of the request's table, then those that this step gave back.
std::vector<BlockId> blocks_of(const RequestState& request, const RoundRecord* record) {
  std::vector<BlockId> blocks = request.table;
  if (record != nullptr) blocks.insert(blocks.end(), record->returned.begin(), record->returned.end());
  return blocks;
}

CachedState in_target(const World& world, const RequestState& request, const RoundRecord* record,
                      const std::vector<BlockId>& blocks, std::uint64_t position) {
  if (position < request.computed_tokens) return of_draft(record, position);
  if (world.block_size == 0 || position / world.block_size >= blocks.size()) return CachedState::none;
  const std::uint64_t logical = position / world.block_size;
  const BlockState& block = world.blocks[index(blocks[logical])];
  if (position % world.block_size < block.written) return CachedState::stale;
  return logical < request.table.size() ? CachedState::held : CachedState::none;
}

CachedState in_draft(const RequestState& request, const RoundRecord* record, std::uint64_t position) {
  const std::uint32_t read = record == nullptr ? 0 : record->draft_read;
  if (position < request.draft_cached) return of_draft(record, position);
  if (position < read) return CachedState::stale;
  const bool has_cache = request.draft_cached > 0 || read > 0;
  return has_cache && position < request.tokens.size() ? CachedState::missing : CachedState::none;
}

void add_blocks(CacheStrip& strip, const World& world, const RequestState& request,
                const std::vector<BlockId>& blocks) {
  if (world.block_size == 0) return;
  for (std::size_t cell = 0; cell < strip.target.size(); ++cell) {
    const std::uint64_t logical = (strip.first + cell) / world.block_size;
    if (logical >= blocks.size()) break;
    const bool new_block = cell == 0 || (strip.first + cell) % world.block_size == 0;
    if (new_block) strip.blocks.push_back({value(blocks[logical]), cell, 0, logical >= request.table.size()});
    ++strip.blocks.back().count;
  }
}

char sign_of(CachedState state) {
  switch (state) {
    case CachedState::none:
      return ' ';
    case CachedState::held:
      return '_';
    case CachedState::draft:
      return '?';
    case CachedState::valid:
      return '=';
    case CachedState::stale:
      return 'x';
    case CachedState::missing:
      return '.';
  }
  return ' ';
}

}  // namespace

CacheStrip cache_strip(const World& world, const RequestState& request, const RoundRecord* round, std::size_t most) {
  const std::vector<BlockId> blocks = blocks_of(request, round);
  std::uint64_t end = std::max<std::uint64_t>(blocks.size() * std::uint64_t{world.block_size}, request.tokens.size());
  if (round != nullptr) end = std::max<std::uint64_t>(end, round->draft_read);
  CacheStrip strip;
  strip.first = end > most ? end - most : 0;
  if (world.block_size > 0) {  // from the next block on, if any of it is left then
    const std::uint64_t whole = (strip.first + world.block_size - 1) / world.block_size * world.block_size;
    if (whole < end) strip.first = whole;
  }
  for (std::uint64_t position = strip.first; position < end; ++position) {
    strip.target.push_back(in_target(world, request, round, blocks, position));
    strip.draft.push_back(in_draft(request, round, position));
  }
  add_blocks(strip, world, request, blocks);
  return strip;
}

std::string target_notation(const CacheStrip& strip) {
  std::string text;
  for (const StripBlock& block : strip.blocks) {
    text += text.empty() ? "" : " ";
    text += (block.returned ? "returned " : "") + std::to_string(block.block) + "[";
    for (std::size_t i = 0; i < block.count; ++i) text += sign_of(strip.target[block.first + i]);
    text += "]";
  }
  return text;
}

std::string draft_notation(const CacheStrip& strip) {
  std::string text;
  for (const CachedState state : strip.draft) text += sign_of(state);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace kvarium::ui::layout
