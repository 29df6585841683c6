#pragma once
// What the pool map and the block tables show of a World, as plain numbers: who owns a block, which of its slots are
// filled, what the prefix cache keeps in it, what this step did to it.

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/trace.h"
#include "core/trace/world.h"

namespace kvarium::ui::layout {

/// free: nobody owns the block, and nothing in it can be found; reserved: owned, nothing written yet; filled: valid K
/// and V; stale: K and V that a rollback took back, to be overwritten.
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
  bool cached = false;   ///< no table holds it, and the prefix cache finds the K and V in it
  bool in_tree = false;  ///< the radix tree holds it
  bool locked = false;   ///< its node of the radix tree has a lock
  bool copied = false;   ///< in this step copy-on-write copied from it or to it
  bool evicted = false;  ///< in this step the prefix cache forgot what was in it
  /// What is in the block: tokens of this request from position source_logical * block_size on.
  std::uint32_t source = 0, source_logical = 0;

  /// Whether something of use is in it, or is to be.
  bool holds() const { return owner_count > 0 || cached; }
  bool operator==(const BlockPicture&) const = default;
};

/// A copy of this step: the first `tokens` slots of block `from` went into block `to`.
struct CopyPicture {
  std::uint32_t from = 0, to = 0, tokens = 0;
  bool operator==(const CopyPicture&) const = default;
};

struct PoolPicture {
  std::uint32_t block_size = 0;
  std::vector<BlockPicture> blocks;
  std::vector<CopyPicture> copies;
  std::uint32_t used = 0;       ///< blocks with an owner
  std::uint32_t cached = 0;     ///< blocks without one that the prefix cache keeps
  std::uint64_t allocated = 0;  ///< slots of used blocks
  std::uint64_t filled = 0;     ///< of them, those with valid K and V

  /// Share of the allocated slots that hold nothing (internal fragmentation); 0 when nothing is allocated.
  double waste() const {
    return allocated == 0 ? 0.0 : 1.0 - static_cast<double>(filled) / static_cast<double>(allocated);
  }
};

PoolPicture pool_picture(const World& world);
/// Adds what the World `now` does not tell: the copies and evictions of the events of its step so far. `start` is the
/// World when the step started; it is only needed where removes_nodes().
void add_step(PoolPicture& picture, const Trace& trace, const World& now, const World& start);
/// Whether the World's step has evicted nodes of the radix tree so far: their event does not tell their blocks.
bool removes_nodes(const Trace& trace, const World& now);
SlotState slot_state(const BlockPicture& block, std::uint32_t offset);
bool is_new(const BlockPicture& block, std::uint32_t offset);

}  // namespace kvarium::ui::layout
