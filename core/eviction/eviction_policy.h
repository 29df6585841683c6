#pragma once
// Which cached block goes when room is needed. A policy knows when blocks were used, not what they hold.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// What decides a block's turn. Stamps come from one clock that every insert and touch moves on, so no two are equal.
struct BlockUse {
  std::uint32_t position = 0;  ///< in its prompt, in blocks: 0 is the head
  std::uint32_t count = 0;     ///< uses since it was inserted, that one included
  std::uint64_t inserted = 0;  ///< stamp
  std::uint64_t last_use = 0;  ///< stamp
};

/// Invariant: a locked block is never a victim; every other cached block will be, in the policy's order. Operations on
/// a block that is not cached throw MisuseError and change nothing. Block ids are dense: memory grows with the largest.
class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;

  /// The block is cached from now on; being written is its first use. MisuseError when it is cached already.
  virtual void insert(BlockId block, std::uint32_t position) = 0;
  /// The block was used again. A request that uses several touches its tail first, so that its head stays longest:
  /// without its head no later block can be hit.
  virtual void touch(BlockId block) = 0;
  /// One more reference holds the block. Locking is no use: it changes no block's turn.
  virtual void lock(BlockId block) = 0;
  /// One reference less. MisuseError when the block is not locked.
  virtual void unlock(BlockId block) = 0;
  /// The block is cached no more; what was counted of it is forgotten. MisuseError when it is locked.
  virtual void erase(BlockId block) = 0;

  virtual bool contains(BlockId block) const = 0;
  /// Cached blocks, locked ones included.
  virtual std::size_t size() const = 0;
  /// The block to evict next; none when all are locked.
  virtual std::optional<BlockId> victim() const = 0;
  /// All blocks that are not locked, the next victim first. Sorts: for pictures and tests.
  virtual std::vector<BlockId> eviction_order() const = 0;
};

}  // namespace kvarium
