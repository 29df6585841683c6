#pragma once
// The oracle of the eviction policies: blocks in a plain list, the victim found by looking at all of them.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/eviction/eviction_policy.h"

namespace kvarium_test {

class NaivePolicy {
 public:
  explicit NaivePolicy(std::string name) : name_(std::move(name)) {}

  void insert(kvarium::BlockId block, std::uint32_t position) {
    ++clock_;
    cached_.push_back({block, position, 1, clock_, clock_, 0});
  }
  void touch(kvarium::BlockId block) {
    ++find(block).count;
    find(block).last_use = ++clock_;
  }
  void lock(kvarium::BlockId block) { ++find(block).locks; }
  void unlock(kvarium::BlockId block) { --find(block).locks; }
  void erase(kvarium::BlockId block) {
    cached_.erase(std::find_if(cached_.begin(), cached_.end(), [&](const Cached& c) { return c.block == block; }));
  }

  bool contains(kvarium::BlockId block) const {
    return std::any_of(cached_.begin(), cached_.end(), [&](const Cached& c) { return c.block == block; });
  }
  std::size_t size() const { return cached_.size(); }
  std::uint32_t locks(kvarium::BlockId block) { return find(block).locks; }
  std::optional<kvarium::BlockId> victim() const {
    const Cached* victim = nullptr;
    for (const Cached& candidate : cached_) {
      if (candidate.locks == 0 && (victim == nullptr || goes_before(candidate, *victim))) victim = &candidate;
    }
    if (victim == nullptr) return std::nullopt;
    return victim->block;
  }

 private:
  struct Cached {
    kvarium::BlockId block;
    std::uint32_t position;
    std::uint32_t count;
    std::uint64_t inserted;
    std::uint64_t last_use;
    std::uint32_t locks;
  };

  Cached& find(kvarium::BlockId block) {
    return *std::find_if(cached_.begin(), cached_.end(), [&](const Cached& c) { return c.block == block; });
  }

  bool goes_before(const Cached& a, const Cached& b) const {
    if (name_ == "fifo") return a.inserted < b.inserted;
    const bool by_count = name_ == "lfu" || name_ == "length-aware";
    const bool by_position = name_ == "length-aware" || name_ == "prefix-depth";
    if (by_count && a.count != b.count) return a.count < b.count;
    if (by_position && a.position != b.position) return a.position > b.position;
    return a.last_use < b.last_use;
  }

  std::string name_;
  std::vector<Cached> cached_;
  std::uint64_t clock_ = 0;
};

}  // namespace kvarium_test
