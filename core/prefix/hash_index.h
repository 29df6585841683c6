#pragma once
// From a hash to the blocks that hold what it stands for. A hash table threaded through arrays, one entry a block:
// nothing is allocated after its construction.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// Blocks with the same hash are twins: a ring, in the order in which they were added. The first of them is the one
/// that is found, and stands for all in the chain of its bucket.
class HashIndex {
 public:
  explicit HashIndex(std::size_t num_blocks);

  bool contains(BlockId block) const { return entries_[index(block)].used; }
  const BlockHash& hash_of(BlockId block) const {
    return entries_[index(block)].hash;
  }  ///< of a block that is contained
  /// The first of the blocks with this hash.
  std::optional<BlockId> find(const BlockHash& hash) const;
  /// The twin that was added after this one; nothing after the last.
  std::optional<BlockId> next_twin(BlockId block) const;

  void add(BlockId block, const BlockHash& hash);  ///< MisuseError when it is contained already
  void remove(BlockId block);                      ///< MisuseError when it is not contained
  void clear();

  std::size_t num_blocks() const { return num_blocks_; }
  std::size_t num_hashes() const { return num_hashes_; }
  /// One sentence for each thing that is wrong; empty when all invariants hold.
  std::vector<std::string> violations() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kBucketsPerBlock = 2;  ///< at least: so that most chains have one link
  struct Entry {
    BlockHash hash;
    std::uint32_t next_in_bucket = kNone;  ///< of the first twin: the first twin of another hash
    std::uint32_t next_twin = kNone;
    std::uint32_t previous_twin = kNone;
    bool first = false;  ///< of its twins
    bool used = false;
  };

  std::uint32_t& bucket(const BlockHash& hash) { return buckets_[hash.low & (buckets_.size() - 1)]; }
  std::uint32_t bucket(const BlockHash& hash) const { return buckets_[hash.low & (buckets_.size() - 1)]; }
  /// The place, a bucket or an entry's next_in_bucket, that names this first twin.
  std::uint32_t& link_to(std::uint32_t first);

  std::vector<Entry> entries_;          ///< by BlockId
  std::vector<std::uint32_t> buckets_;  ///< a power of two
  std::size_t num_blocks_ = 0;
  std::size_t num_hashes_ = 0;
};

}  // namespace kvarium
