#pragma once
// What the pool map and the block tables show of a World, as plain numbers: who owns a block, which of its slots are
// filled, what this step did to it.

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/world.h"

namespace kvarium::ui::layout {

/// free: nobody owns the block; reserved: owned, nothing written yet; filled: valid K and V; stale: K and V that a
/// rollback took back, to be overwritten.
enum class SlotState : std::uint8_t { free, reserved, filled, stale };

constexpr std::size_t kMostOwnersShown = 4;

struct BlockPicture {
  std::uint32_t ref_count = 0;
  std::uint32_t owner_count = 0;                         ///< entries of `owners` in use
  std::array<std::uint32_t, kMostOwnersShown> owners{};  ///< request numbers, lowest first
  std::uint32_t logical = 0;                             ///< place in the first owner's table
  std::uint32_t filled = 0;                              ///< slots [0, filled) hold valid K and V
  std::uint32_t written = 0;                             ///< slots [filled, written) are stale
  std::uint32_t new_first = 0, new_count = 0;            ///< slots that this step computed
  std::uint32_t read = 0;                                ///< slots [0, read) were read by this step's attention
  bool operator==(const BlockPicture&) const = default;
};

struct PoolPicture {
  std::uint32_t block_size = 0;
  std::vector<BlockPicture> blocks;
  std::uint32_t used = 0;       ///< blocks with an owner
  std::uint64_t allocated = 0;  ///< slots of used blocks
  std::uint64_t filled = 0;     ///< of them, those with valid K and V

  /// Share of the allocated slots that hold nothing (internal fragmentation); 0 when nothing is allocated.
  double waste() const {
    return allocated == 0 ? 0.0 : 1.0 - static_cast<double>(filled) / static_cast<double>(allocated);
  }
};

PoolPicture pool_picture(const World& world);
SlotState slot_state(const BlockPicture& block, std::uint32_t offset);
bool is_new(const BlockPicture& block, std::uint32_t offset);

}  // namespace kvarium::ui::layout
