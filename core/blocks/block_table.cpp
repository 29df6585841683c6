#include "core/blocks/block_table.h"

#include <utility>

#include "core/error.h"

namespace kvarium {
namespace {

std::size_t blocks_for(std::uint64_t tokens, std::uint32_t block_size) {
  return static_cast<std::size_t>((tokens + block_size - 1) / block_size);
}

}  // namespace

BlockTable::BlockTable(BlockPool& pool, RequestId request) : pool_(pool), request_(request) {}

BlockTable::BlockTable(BlockTable&& other) noexcept
    : pool_(other.pool_),
      request_(other.request_),
      blocks_(std::exchange(other.blocks_, {})),
      num_tokens_(std::exchange(other.num_tokens_, 0)) {}

std::size_t BlockTable::blocks_needed(std::uint32_t more) const {
  return blocks_for(std::uint64_t{num_tokens_} + more, pool_.block_size()) - blocks_.size();
}

bool BlockTable::append(std::uint32_t more) {
  if (more > UINT32_MAX - num_tokens_) throw MisuseError("a table holds at most 4294967295 tokens");
  const std::size_t needed = blocks_needed(more);
  if (needed > pool_.num_free()) return false;
  for (std::size_t i = 0; i < needed; ++i) blocks_.push_back(pool_.allocate(request_).value());
  num_tokens_ += more;
  return true;
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
  pool_.release_from(request_, blocks_, blocks_for(kept_tokens, pool_.block_size()));
}

void BlockTable::release() {
  num_tokens_ = 0;
  pool_.release_from(request_, blocks_, 0);
}

std::string BlockTable::show() const {
  std::string text = "[";
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(value(blocks_[i]));
  }
  return text + "] " + std::to_string(num_tokens_) + " tokens";
}

}  // namespace kvarium
