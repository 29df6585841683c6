#pragma once
// How many blocks of the pool will be free while a plan is applied, counted without touching the pool.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/ids.h"

namespace kvarium {

class PlannedBlocks {
 public:
  explicit PlannedBlocks(const BlockPool& pool) : pool_(pool), free_(pool.num_free()) {}

  std::size_t free() const { return free_; }
  /// Takes `count` blocks; false, nothing taken, when fewer are free.
  [[nodiscard]] bool take(std::size_t count) {
    if (count > free_) return false;
    free_ -= count;
    return true;
  }
  /// What a preemption gives back: a block that other tables hold too is free only when the last of them lets it go.
  void give_back(const BlockTable& table) {
    for (const BlockId block : table.blocks()) {
      if (++given_back_[block] == pool_.ref_count(block)) ++free_;
    }
  }

 private:
  const BlockPool& pool_;
  std::size_t free_;
  std::unordered_map<BlockId, std::uint32_t> given_back_;
};

}  // namespace kvarium
