#pragma once
// How many blocks can be handed out while a plan is applied, counted without touching the pool or the prefix cache.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/blocks/blocks_for.h"
#include "core/ids.h"
#include "core/prefix/prefix_cache.h"

namespace kvarium {

/// Counts in the order in which a plan is applied: preemptions, admissions, chunks. A scheduler that gives a table back
/// after it counted chunks may have counted a copy that will not be needed; never the other way round.
class PlannedBlocks {
 public:
  PlannedBlocks(const BlockPool& pool, const PrefixCache& cache)
      : pool_(pool), cache_(cache), available_(cache.num_available()) {}

  /// Free blocks, and those that the prefix cache would give up.
  std::size_t available() const { return available_; }

  /// The blocks that `table` takes for `tokens` more tokens, a copy of its shared partial block included. False,
  /// nothing taken, when fewer are available.
  [[nodiscard]] bool take(const BlockTable& table, std::uint32_t tokens) {
    const bool copies = tokens > 0 && table.partial_block() && tables_of(*table.partial_block()) > 1;
    const std::size_t needed = table.blocks_needed(tokens) + (copies ? 1 : 0);
    if (needed > available_) return false;
    available_ -= needed;
    if (copies) --tables_of(*table.partial_block());
    taken_[&table] = {needed, copies};
    return true;
  }
  /// The blocks that `table` takes for `drafts` more, behind the `tokens` that were taken already. False, nothing
  /// taken, when fewer are available.
  [[nodiscard]] bool take_drafts(const BlockTable& table, std::uint32_t tokens, std::uint32_t drafts) {
    const std::size_t needed = table.blocks_needed(tokens + drafts) - table.blocks_needed(tokens);
    if (needed > available_) return false;
    available_ -= needed;
    return true;
  }
  /// The blocks that a request which starts with `hit` takes for `tokens` more tokens. Blocks of the hit that nobody
  /// holds are no longer available either. False, nothing taken, when too few are.
  [[nodiscard]] bool take(const PrefixHit& hit, std::uint32_t tokens) {
    const std::uint64_t all = blocks_for(std::uint64_t{hit.num_tokens} + tokens, pool_.block_size());
    std::size_t needed = static_cast<std::size_t>(all) - hit.blocks.size();
    for (const BlockId block : hit.blocks) needed += tables_of(block) == 0 ? 1 : 0;
    if (needed > available_) return false;
    available_ -= needed;
    for (const BlockId block : hit.blocks) ++tables_of(block);
    return true;
  }
  /// What a preemption gives back: a block that other tables hold too is available only when the last of them lets it
  /// go. What take() took for a chunk of this table is not taken after all.
  void give_back(const BlockTable& table) {
    if (const auto chunk = taken_.find(&table); chunk != taken_.end()) {
      available_ += chunk->second.blocks;
      if (chunk->second.copies && tables_of(*table.partial_block())++ == 0) --available_;
      taken_.erase(chunk);
    }
    for (const BlockId block : table.blocks()) {
      if (--tables_of(block) == 0) ++available_;
    }
  }

 private:
  struct Taken {
    std::size_t blocks = 0;
    bool copies = false;
  };
  /// Tables that will hold the block.
  std::uint32_t& tables_of(BlockId block) {
    const auto [at, is_new] = tables_.try_emplace(block, 0);
    if (is_new) at->second = pool_.ref_count(block) - cache_.own_references(block);
    return at->second;
  }

  const BlockPool& pool_;
  const PrefixCache& cache_;
  std::size_t available_;
  std::unordered_map<BlockId, std::uint32_t> tables_;
  std::unordered_map<const BlockTable*, Taken> taken_;  ///< for chunks
};

}  // namespace kvarium
