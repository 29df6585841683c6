#pragma once
// The queue of free blocks: a doubly linked list threaded through arrays, so that a block can leave from the middle
// in constant time (a prefix hit takes back a block that is free but still cached). A deque could not do that.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/ids.h"

namespace kvarium {

/// Invariant: a block is in the queue at most once. Blocks are handed out from the front; most return to the back,
/// those whose content nobody can find again may return to the front.
class FreeQueue {
 public:
  FreeQueue() = default;
  /// All blocks 0..order.size()-1, each exactly once, front first. Throws MisuseError otherwise.
  explicit FreeQueue(const std::vector<BlockId>& order) : links_(order.size()), head_(kNone), tail_(kNone) {
    for (const BlockId block : order) push_back(block);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(BlockId block) const { return index(block) < links_.size() && links_[index(block)].queued; }
  BlockId front() const {
    if (empty()) throw MisuseError("the free queue is empty: ask size() first");
    return BlockId{head_};
  }

  BlockId pop_front() {
    const BlockId block = front();
    remove(block);
    return block;
  }
  void push_back(BlockId block) {
    Link& link = unqueued(block);
    link = {tail_, kNone, true};
    (tail_ == kNone ? head_ : links_[tail_].next) = value(block);
    tail_ = value(block);
    ++size_;
  }
  void push_front(BlockId block) {
    Link& link = unqueued(block);
    link = {kNone, head_, true};
    (head_ == kNone ? tail_ : links_[head_].previous) = value(block);
    head_ = last_at_front_ = value(block);
    ++size_;
  }
  /// Behind the block that was put to the front last, so that several blocks can go there and keep their order.
  /// MisuseError when that block has left the queue.
  void push_behind_last_front(BlockId block) {
    Link& link = unqueued(block);
    if (!has_last_front()) throw MisuseError("the block that was put to the front last is no longer in the queue");
    const std::uint32_t before = last_at_front_;
    const std::uint32_t after = links_[before].next;
    link = {before, after, true};
    links_[before].next = value(block);
    (after == kNone ? tail_ : links_[after].previous) = value(block);
    last_at_front_ = value(block);
    ++size_;
  }
  bool has_last_front() const { return last_at_front_ != kNone; }
  void remove(BlockId block) {
    if (!contains(block)) throw MisuseError("block " + std::to_string(value(block)) + " is not in the free queue");
    Link& link = links_[index(block)];
    (link.previous == kNone ? head_ : links_[link.previous].next) = link.next;
    (link.next == kNone ? tail_ : links_[link.next].previous) = link.previous;
    link = {};
    if (last_at_front_ == value(block)) last_at_front_ = kNone;
    --size_;
  }

  /// The blocks in hand-out order, the first `most` of them.
  std::vector<BlockId> order(std::size_t most = SIZE_MAX) const {
    std::vector<BlockId> blocks;
    blocks.reserve(std::min(size_, most));
    for (std::uint32_t at = head_; at != kNone && blocks.size() < most; at = links_[at].next) {
      blocks.push_back(BlockId{at});
    }
    return blocks;
  }

  bool operator==(const FreeQueue&) const = default;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Link {
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    bool queued = false;
    bool operator==(const Link&) const = default;
  };

  Link& unqueued(BlockId block) {
    if (index(block) >= links_.size()) {
      throw MisuseError("there is no block " + std::to_string(value(block)) + ": the pool has " +
                        std::to_string(links_.size()));
    }
    if (contains(block)) throw MisuseError("block " + std::to_string(value(block)) + " is free already");
    return links_[index(block)];
  }

  std::vector<Link> links_;
  std::uint32_t head_ = kNone;
  std::uint32_t tail_ = kNone;
  std::uint32_t last_at_front_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace kvarium
