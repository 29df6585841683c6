#include "visualizer/layout/picture.h"

#include <algorithm>

namespace kvarium::ui::layout {
namespace {

/// The part of positions [first, first + count) that lies in the block that starts at position `start`.
struct Part {
  std::uint32_t first = 0, count = 0;
};
Part part_in_block(std::uint64_t start, std::uint32_t block_size, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = std::max(start, first), end = std::min(start + block_size, first + count);
  if (begin >= end) return {};
  return {static_cast<std::uint32_t>(begin - start), static_cast<std::uint32_t>(end - begin)};
}

void add_request(PoolPicture& picture, const World& world, const RequestState& request) {
  for (std::size_t i = 0; i < request.table.size(); ++i) {
    BlockPicture& block = picture.blocks[index(request.table[i])];
    if (block.owner_count == 0) {
      block.logical = static_cast<std::uint32_t>(i);
      block.source = value(request.id);
      block.source_logical = block.logical;
      ++picture.used;
      picture.allocated += world.block_size;
    }
    if (block.owner_count < kMostOwnersShown) block.owners[block.owner_count++] = value(request.id);
    const std::uint64_t start = static_cast<std::uint64_t>(i) * world.block_size;
    block.filled = std::max(block.filled, filled_slots(world, request, i));
    block.read = std::max(block.read, part_in_block(start, world.block_size, 0, request.read_count).count);
    const Part fresh =
        part_in_block(start, world.block_size, request.new_first, request.new_kept ? request.new_count : 0);
    if (fresh.count > block.new_count) {
      block.new_first = fresh.first;
      block.new_count = fresh.count;
    }
  }
}

/// Blocks that no table holds and whose K and V can be found: cached by their hash, or held by the tree.
void add_cached(PoolPicture& picture, const World& world) {
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    const BlockState& state = world.blocks[i];
    BlockPicture& block = picture.blocks[i];
    block.in_tree = state.in_tree;
    if (block.owner_count > 0 || !(state.hash || state.in_tree)) continue;
    block.cached = true;
    block.filled = std::min(state.written, world.block_size);
    block.source = value(state.writer);
    block.source_logical = block.logical = state.writer_logical;
    ++picture.cached;
  }
}

void add_locks(PoolPicture& picture, const World& world) {
  for (const auto& node : world.radix) {
    if (!node->exists || node->locks == 0) continue;
    for (const BlockId block : node->blocks) picture.blocks[index(block)].locked = true;
  }
}

/// The first event of the World's step.
std::size_t start_of(const Trace& trace, const World& now) { return now.step == 0 ? 0 : trace.start_of_step(now.step); }

}  // namespace

PoolPicture pool_picture(const World& world) {
  PoolPicture picture;
  picture.block_size = world.block_size;
  picture.blocks.resize(world.blocks.size());
  for (const auto& request : world.requests) add_request(picture, world, *request);
  add_cached(picture, world);
  add_locks(picture, world);
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    BlockPicture& block = picture.blocks[i];
    block.ref_count = world.blocks[i].ref_count;
    block.written = block.holds() ? std::max(block.filled, world.blocks[i].written) : 0;
    if (block.owner_count > 0) picture.filled += block.filled;
  }
  return picture;
}

void add_step(PoolPicture& picture, const Trace& trace, const World& now, const World& start) {
  for (std::size_t i = start_of(trace, now); i < now.events; ++i) {
    if (trace.mark(i) != Mark::copied && trace.mark(i) != Mark::evicted) continue;
    const Event& event = trace[i];
    if (const auto* copy = std::get_if<BlockCopied>(&event)) {
      picture.copies.push_back({value(copy->from), value(copy->to), copy->tokens});
      picture.blocks[index(copy->from)].copied = picture.blocks[index(copy->to)].copied = true;
    }
    if (const auto* evicted = std::get_if<BlockEvicted>(&event)) picture.blocks[index(evicted->block)].evicted = true;
    if (const auto* expired = std::get_if<BlockExpired>(&event)) picture.blocks[index(expired->block)].evicted = true;
  }
  if (!removes_nodes(trace, now)) return;
  for (std::size_t i = 0; i < std::min(start.blocks.size(), now.blocks.size()); ++i) {
    const bool handed_out = now.blocks[i].allocated_step == now.step;
    if (start.blocks[i].in_tree && (!now.blocks[i].in_tree || handed_out)) picture.blocks[i].evicted = true;
  }
}

bool removes_nodes(const Trace& trace, const World& now) {
  for (std::size_t i = start_of(trace, now); i < now.events; ++i) {
    if (trace.mark(i) == Mark::evicted && std::holds_alternative<RadixNodeRemoved>(trace[i])) return true;
  }
  return false;
}

SlotState slot_state(const BlockPicture& block, std::uint32_t offset) {
  if (!block.holds()) return SlotState::free;
  if (offset < block.filled) return SlotState::filled;
  return offset < block.written ? SlotState::stale : SlotState::reserved;
}

bool is_new(const BlockPicture& block, std::uint32_t offset) {
  return offset >= block.new_first && offset - block.new_first < block.new_count;
}

}  // namespace kvarium::ui::layout
