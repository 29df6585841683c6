#pragma once
// Logical to physical: which block holds the K and V of each position of one request. (vLLM: block table.)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/ids.h"

namespace kvarium {

/// The first `tokens` slots of block `from`, in every layer, go to block `to`.
struct BlockCopy {
  BlockId from{};
  BlockId to{};
  std::uint32_t tokens = 0;
  bool operator==(const BlockCopy&) const = default;
};

/// Positions [0, num_tokens()) have a slot. Invariant: the table has ceil(num_tokens / block_size) entries, no more.
/// The owner calls release(); a table that is destroyed with blocks in it leaks them, which violations() reports.
class BlockTable {
 public:
  BlockTable(BlockPool& pool, RequestId request);
  /// The blocks move along: the other table is empty. No copies: two tables would return the same blocks twice.
  BlockTable(BlockTable&& other) noexcept;

  std::uint32_t num_tokens() const { return num_tokens_; }
  const std::vector<BlockId>& blocks() const { return blocks_; }
  /// Blocks that `more` tokens add to the table.
  std::size_t blocks_needed(std::uint32_t more) const;
  /// The last block, when the next token goes into it: nothing when it is full, or when there is none.
  std::optional<BlockId> partial_block() const;
  /// Must the partial block be copied before it is written, because another table holds it too?
  bool writes_into_shared() const;
  /// Blocks that must be free for `more` tokens to be appended: a copy of a shared partial block included.
  std::size_t free_needed(std::uint32_t more) const;

  /// Gives `more` tokens a slot each. Copy-on-write: a partial last block that others hold too is replaced by a copy,
  /// which is added to `copies`; its K and V must be copied before anything is written. Full blocks are never written
  /// again, so they stay shared. False, state untouched, when the pool has too few free blocks. append(0) does nothing
  /// and is true. MisuseError when positions would no longer fit 32 bits.
  [[nodiscard]] bool append(std::uint32_t more, std::vector<BlockCopy>& copies);
  /// For a table that shares no partial block; MisuseError otherwise.
  [[nodiscard]] bool append(std::uint32_t more);
  /// The empty table of another request starts with all blocks of this one, also a partial last one, and as many
  /// tokens. The caller announces it: RequestForked. MisuseError when the other is not empty.
  void fork_into(BlockTable& child) const;
  /// Another block, which holds the same K and V, takes the place of logical block `logical`, which is let go.
  void replace(std::size_t logical, BlockId block);
  /// Starts the table with full blocks that hold the first tokens already: a hit in a prefix cache. MisuseError when
  /// the table is not empty.
  void adopt(const std::vector<BlockId>& blocks);
  /// Where position's K and V lie: blocks()[position / block_size] * block_size + position % block_size.
  /// MisuseError for a position that has none.
  Slot slot_of(std::uint32_t position) const;
  /// Takes back all tokens from `kept_tokens` on; blocks that hold none of the kept tokens return to the pool, last
  /// first. Announces RolledBack before any block returns; nothing when all tokens are kept. MisuseError when
  /// kept_tokens > num_tokens().
  void rollback_to(std::uint32_t kept_tokens);
  /// Returns every block, last first (the deepest block of a prompt is the least likely to be shared).
  void release();

  /// The table is empty and its blocks are as they were: whoever calls this must release them. Of use only to the bug
  /// zoo, which releases them wrongly.
  std::vector<BlockId> forget_blocks();
  RequestId request() const { return request_; }
  BlockPool& pool() const { return pool_; }

  /// "[7,3,12] 17 tokens"
  std::string show() const;

 private:
  BlockCopy copy_last_block();

  BlockPool& pool_;
  RequestId request_;
  std::vector<BlockId> blocks_;
  std::uint32_t num_tokens_ = 0;
};

}  // namespace kvarium
