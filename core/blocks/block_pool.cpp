#include "core/blocks/block_pool.h"

#include <random>
#include <utility>

#include "core/error.h"
#include "core/trace/heard.h"

namespace kvarium {
namespace {

/// A number in [0, bound), each equally likely. The 2^64 draws do not divide evenly into `bound` classes: the first
/// 2^64 mod bound of them are thrown away, so that each remainder is left with the same number of draws.
std::uint64_t below(std::uint64_t bound, std::mt19937_64& draws) {
  const std::uint64_t leftover = (0 - bound) % bound;  // = 2^64 mod bound
  std::uint64_t draw = draws();
  while (draw < leftover) draw = draws();
  return draw % bound;
}

std::string name(BlockId block) { return "block " + std::to_string(value(block)); }

}  // namespace

std::vector<BlockId> ascending_order(std::uint32_t num_blocks) {
  std::vector<BlockId> order;
  order.reserve(num_blocks);
  for (std::uint32_t id = 0; id < num_blocks; ++id) order.push_back(BlockId{id});
  return order;
}

// Fisher-Yates: position `last` receives one of the blocks at 0..last, each equally likely. Not std::shuffle, whose
// order differs between standard libraries; the numbers of std::mt19937_64 are fixed by the C++ standard.
std::vector<BlockId> scrambled_order(std::uint32_t num_blocks, std::uint64_t seed) {
  std::vector<BlockId> order = ascending_order(num_blocks);
  std::mt19937_64 draws(seed);
  for (std::size_t last = order.size(); last-- > 1;) {
    std::swap(order[last], order[static_cast<std::size_t>(below(last + 1, draws))]);
  }
  return order;
}

BlockPool::BlockPool(std::uint32_t block_size, std::vector<BlockId> hand_out_order, EventSink& sink)
    : block_size_(block_size), ref_counts_(hand_out_order.size(), 0), free_(hand_out_order), sink_(sink) {
  if (block_size == 0) throw InputError("block size 0: a block must hold at least 1 token");
  if (hand_out_order.empty()) throw InputError("a pool of 0 blocks: give it at least 1 block");
  sink_.emit(PoolCreated{block_size, std::move(hand_out_order)});
}

std::uint32_t BlockPool::ref_count(BlockId block) const {
  if (index(block) >= ref_counts_.size()) {
    throw MisuseError("there is no " + name(block) + ": the pool has " + std::to_string(num_blocks()));
  }
  return ref_counts_[index(block)];
}

std::optional<BlockId> BlockPool::allocate(RequestId request) {
  const std::optional<BlockId> block = take(request);
  if (block && heard(sink_)) sink_.emit(BlockAllocated{request, *block});
  return block;
}

std::optional<BlockId> BlockPool::take(RequestId request) {
  if (free_.empty()) return std::nullopt;
  const BlockId block = keeper_ == nullptr ? free_.front() : keeper_->next(free_.front());
  if (keeper_ != nullptr) keeper_->forget(request, block);
  free_.remove(block);
  ref_counts_[index(block)] = 1;
  return block;
}

void BlockPool::retain(BlockId block) {
  if (ref_count(block) == 0) throw MisuseError(name(block) + " is free: only a block that is held can be shared");
  ++ref_counts_[index(block)];
}

void BlockPool::let_go(BlockId block) {
  if (ref_count(block) == 0) throw MisuseError(name(block) + " is free already: it cannot be released twice");
  if (--ref_counts_[index(block)] == 0) free_.push_back(block);
}

void BlockPool::bring_to_head(BlockId block) {
  free_.remove(block);
  free_.push_front(block);
}

void BlockPool::share(RequestId request, BlockId block) {
  if (ref_count(block) == 0) throw MisuseError(name(block) + " is free: only a block that is held can be shared");
  const std::uint32_t ref_count = ++ref_counts_[index(block)];
  if (heard(sink_)) sink_.emit(BlockShared{request, block, ref_count});
}

void BlockPool::touch(RequestId request, BlockId block) {
  if (ref_count(block) > 0) return share(request, block);
  free_.remove(block);
  ref_counts_[index(block)] = 1;
  if (keeper_ != nullptr) keeper_->wakes(block);
  if (heard(sink_)) sink_.emit(BlockReused{request, block});
}

void BlockPool::release(RequestId request, BlockId block) { put_back(request, block, QueuePlace::head); }

void BlockPool::release_from(RequestId request, std::vector<BlockId>& table, std::size_t kept) {
  QueuePlace place = QueuePlace::head;
  for (; table.size() > kept; table.pop_back()) place = put_back(request, table.back(), place);
}

/// `at_head`: where the block goes if it goes to the head. Returns where the next block of the same release goes then.
QueuePlace BlockPool::put_back(RequestId request, BlockId block, QueuePlace at_head) {
  if (ref_count(block) == 0) throw MisuseError(name(block) + " is free already: it cannot be released twice");
  const std::uint32_t left = --ref_counts_[index(block)];
  const bool goes_first = left == 0 && keeper_ != nullptr && keeper_->rests(block);
  const QueuePlace place = goes_first ? at_head : QueuePlace::tail;
  if (left == 0 && place == QueuePlace::tail) free_.push_back(block);
  if (place == QueuePlace::head) free_.push_front(block);
  if (place == QueuePlace::behind_last_head) free_.push_behind_last_front(block);
  if (heard(sink_)) sink_.emit(BlockReleased{request, block, left, place});
  return goes_first ? QueuePlace::behind_last_head : at_head;
}

std::string BlockPool::show() const {
  std::string text = "free";
  for (const BlockId block : free_.order()) text += " " + std::to_string(value(block));
  text += " | used";
  for (std::size_t id = 0; id < ref_counts_.size(); ++id) {
    if (ref_counts_[id] > 0) text += " " + std::to_string(id) + "x" + std::to_string(ref_counts_[id]);
  }
  return text;
}

}  // namespace kvarium
