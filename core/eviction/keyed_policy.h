#pragma once
// The machinery of every policy: each block has a key, the smallest goes first. What differs is the key alone.

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/eviction/eviction_policy.h"

namespace kvarium {

/// `Key` gives a block's turn: `static Type of(const BlockUse&)`, ordered by `<`, different for any two blocks, and
/// never smaller after a touch than before. The keys lie in a heap of four children a node that knows where each block
/// is: victim() is O(1), all else O(log n). A heap of two children is twice as high and slower.
template <typename Key>
class KeyedPolicy final : public EvictionPolicy {
 public:
  void insert(BlockId block, std::uint32_t position) override {
    if (contains(block)) throw MisuseError(named(block) + " is cached already");
    if (index(block) >= entries_.size()) {
      entries_.resize(index(block) + 1);
      places_.resize(index(block) + 1, kNotCached);
    }
    ++clock_;
    entries_[index(block)] = {{position, 1, clock_, clock_}, 0};
    ++size_;
    push(block);
  }

  void touch(BlockId block) override {
    Entry& entry = cached(block);
    ++entry.use.count;
    entry.use.last_use = ++clock_;
    if (entry.locks > 0) return;
    const std::uint32_t place = places_[index(block)];
    heap_[place].key = Key::of(entry.use);
    sift_down(place);
  }

  void lock(BlockId block) override {
    if (cached(block).locks++ == 0) take_out(block, kLocked);
  }

  void unlock(BlockId block) override {
    Entry& entry = cached(block);
    if (entry.locks == 0) throw MisuseError(named(block) + " is not locked");
    if (--entry.locks == 0) push(block);
  }

  void erase(BlockId block) override {
    if (cached(block).locks > 0) throw MisuseError(named(block) + " is locked: it cannot be evicted");
    take_out(block, kNotCached);
    --size_;
  }

  bool contains(BlockId block) const override {
    return index(block) < places_.size() && places_[index(block)] != kNotCached;
  }
  std::size_t size() const override { return size_; }
  std::optional<BlockId> victim() const override {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().block;
  }

  std::vector<BlockId> eviction_order() const override {
    std::vector<Turn> turns = heap_;
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.key < b.key; });
    std::vector<BlockId> blocks;
    blocks.reserve(turns.size());
    for (const Turn& turn : turns) blocks.push_back(turn.block);
    return blocks;
  }

 private:
  static constexpr std::uint32_t kNotCached = UINT32_MAX;
  static constexpr std::uint32_t kLocked = UINT32_MAX - 1;
  static constexpr std::size_t kChildren = 4;
  struct Entry {
    BlockUse use;
    std::uint32_t locks = 0;
  };
  struct Turn {
    typename Key::Type key;
    BlockId block;
  };

  static std::string named(BlockId block) { return "block " + std::to_string(value(block)); }

  Entry& cached(BlockId block) {
    if (!contains(block)) throw MisuseError(named(block) + " is not cached");
    return entries_[index(block)];
  }

  void push(BlockId block) {
    heap_.push_back({Key::of(entries_[index(block)].use), block});
    sift_up(heap_.size() - 1);
  }

  /// The last turn fills the gap, and then finds its own place.
  void take_out(BlockId block, std::uint32_t new_place) {
    const std::uint32_t gap = std::exchange(places_[index(block)], new_place);
    const Turn last = heap_.back();
    heap_.pop_back();
    if (gap == heap_.size()) return;
    put(gap, last);
    sift_up(gap);
    sift_down(places_[index(last.block)]);
  }

  void put(std::size_t at, const Turn& turn) {
    heap_[at] = turn;
    places_[index(turn.block)] = static_cast<std::uint32_t>(at);
  }

  void sift_up(std::size_t at) {
    const Turn turn = heap_[at];
    for (; at > 0; at = (at - 1) / kChildren) {
      const Turn& parent = heap_[(at - 1) / kChildren];
      if (!(turn.key < parent.key)) break;
      put(at, parent);
    }
    put(at, turn);
  }

  void sift_down(std::size_t at) {
    const Turn turn = heap_[at];
    for (std::size_t first = at * kChildren + 1; first < heap_.size(); first = at * kChildren + 1) {
      std::size_t smallest = first;
      const std::size_t end = std::min(first + kChildren, heap_.size());
      for (std::size_t child = first + 1; child < end; ++child) {
        smallest = heap_[child].key < heap_[smallest].key ? child : smallest;
      }
      if (!(heap_[smallest].key < turn.key)) break;
      put(at, heap_[smallest]);
      at = smallest;
    }
    put(at, turn);
  }

  std::vector<Entry> entries_;  // by block id
  std::vector<std::uint32_t>
      places_;              // by block id: where in the heap, kLocked or kNotCached; small, as each move writes
  std::vector<Turn> heap_;  // blocks that are not locked
  std::size_t size_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace kvarium
