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

}  // namespace

PoolPicture pool_picture(const World& world) {
  PoolPicture picture;
  picture.block_size = world.block_size;
  picture.blocks.resize(world.blocks.size());
  for (const auto& request : world.requests) add_request(picture, world, *request);
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    BlockPicture& block = picture.blocks[i];
    block.ref_count = world.blocks[i].ref_count;
    block.written = block.owner_count == 0 ? 0 : std::max(block.filled, world.blocks[i].written);
    picture.filled += block.filled;
  }
  return picture;
}

SlotState slot_state(const BlockPicture& block, std::uint32_t offset) {
  if (block.owner_count == 0) return SlotState::free;
  if (offset < block.filled) return SlotState::filled;
  return offset < block.written ? SlotState::stale : SlotState::reserved;
}

bool is_new(const BlockPicture& block, std::uint32_t offset) {
  return offset >= block.new_first && offset - block.new_first < block.new_count;
}

}  // namespace kvarium::ui::layout
