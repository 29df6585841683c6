#include "core/blocks/block_table.h"

#include <utility>

#include "core/blocks/blocks_for.h"
#include "core/error.h"

namespace kvarium {
BlockTable::BlockTable(BlockPool& pool, RequestId request) : pool_(pool), request_(request) {}

BlockTable::BlockTable(BlockTable&& other) noexcept
    : pool_(other.pool_),
      request_(other.request_),
      blocks_(std::exchange(other.blocks_, {})),
      num_tokens_(std::exchange(other.num_tokens_, 0)) {}

std::size_t BlockTable::blocks_needed(std::uint32_t more) const {
  return static_cast<std::size_t>(blocks_for(std::uint64_t{num_tokens_} + more, pool_.block_size())) - blocks_.size();
}

std::optional<BlockId> BlockTable::partial_block() const {
  if (num_tokens_ % pool_.block_size() == 0) return std::nullopt;
  return blocks_.back();
}

bool BlockTable::writes_into_shared() const {
  const std::optional<BlockId> partial = partial_block();
  return partial && pool_.ref_count(*partial) > 1;
}

std::size_t BlockTable::free_needed(std::uint32_t more) const {
  return blocks_needed(more) + (more > 0 && writes_into_shared() ? 1 : 0);
}

bool BlockTable::append(std::uint32_t more, std::vector<BlockCopy>& copies) {
  if (more > UINT32_MAX - num_tokens_) throw MisuseError("a table holds at most 4294967295 tokens");
  if (more == 0) return true;
  const std::size_t needed = blocks_needed(more);
  if (free_needed(more) > pool_.num_free()) return false;
  if (writes_into_shared()) copies.push_back(copy_last_block());
  for (std::size_t i = 0; i < needed; ++i) blocks_.push_back(pool_.allocate(request_).value());
  num_tokens_ += more;
  return true;
}

bool BlockTable::append(std::uint32_t more) {
  if (more > 0 && writes_into_shared()) throw MisuseError("a shared block is written without a copy: " + show());
  std::vector<BlockCopy> copies;
  return append(more, copies);
}

// Copying only what is filled: the other slots are about to be written.
BlockCopy BlockTable::copy_last_block() {
  const BlockCopy copy{blocks_.back(), pool_.take(request_).value(), num_tokens_ % pool_.block_size()};
  blocks_.back() = copy.to;
  pool_.let_go(copy.from);
  pool_.sink().emit(
      BlockCopied{request_, static_cast<std::uint32_t>(blocks_.size() - 1), copy.from, copy.to, copy.tokens});
  return copy;
}

void BlockTable::fork_into(BlockTable& child) const {
  if (child.num_tokens_ > 0)
    throw MisuseError("only an empty table can start as a fork: this one holds " + child.show());
  for (const BlockId block : blocks_) pool_.retain(block);
  child.blocks_ = blocks_;
  child.num_tokens_ = num_tokens_;
}

void BlockTable::replace(std::size_t logical, BlockId block) {
  const BlockId old = blocks_.at(logical);
  pool_.retain(block);
  pool_.let_go(old);
  blocks_[logical] = block;
  pool_.sink().emit(BlockReplaced{request_, static_cast<std::uint32_t>(logical), old, block});
}

void BlockTable::adopt(const std::vector<BlockId>& blocks) {
  if (num_tokens_ > 0) throw MisuseError("only an empty table can adopt blocks: this one holds " + show());
  blocks_.reserve(blocks.size());
  for (const BlockId block : blocks) {
    pool_.touch(request_, block);
    blocks_.push_back(block);
    num_tokens_ += pool_.block_size();
  }
}

Slot BlockTable::slot_of(std::uint32_t position) const {
  if (position >= num_tokens_) {
    throw MisuseError("position " + std::to_string(position) + " has no slot: the table holds " +
                      std::to_string(num_tokens_) + " tokens");
  }
  const std::uint32_t block_size = pool_.block_size();
  const std::uint64_t block = value(blocks_[position / block_size]);
  return Slot{block * block_size + position % block_size};
}

void BlockTable::rollback_to(std::uint32_t kept_tokens) {
  if (kept_tokens > num_tokens_) {
    throw MisuseError("rollback to " + std::to_string(kept_tokens) + " tokens: the table holds only " +
                      std::to_string(num_tokens_));
  }
  if (kept_tokens == num_tokens_) return;
  // The length first: no one may see a position that points into a block which is free again.
  pool_.sink().emit(RolledBack{request_, kept_tokens});
  num_tokens_ = kept_tokens;
  pool_.release_from(request_, blocks_, static_cast<std::size_t>(blocks_for(kept_tokens, pool_.block_size())));
}

void BlockTable::release() {
  num_tokens_ = 0;
  pool_.release_from(request_, blocks_, 0);
}

std::vector<BlockId> BlockTable::forget_blocks() {
  num_tokens_ = 0;
  return std::exchange(blocks_, {});
}

std::string BlockTable::show() const {
  std::string text = "[";
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(value(blocks_[i]));
  }
  return text + "] " + std::to_string(num_tokens_) + " tokens";
}

}  // namespace kvarium
