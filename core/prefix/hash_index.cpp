#include "core/prefix/hash_index.h"

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::size_t power_of_two_from(std::size_t least) {
  std::size_t power = 1;
  while (power < least) power *= 2;
  return power;
}

}  // namespace

HashIndex::HashIndex(std::size_t num_blocks)
    : entries_(num_blocks), buckets_(power_of_two_from(kBucketsPerBlock * num_blocks), kNone) {}

std::optional<BlockId> HashIndex::find(const BlockHash& hash) const {
  for (std::uint32_t at = bucket(hash); at != kNone; at = entries_[at].next_in_bucket) {
    if (entries_[at].hash == hash) return BlockId{at};
  }
  return std::nullopt;
}

std::optional<BlockId> HashIndex::next_twin(BlockId block) const {
  const std::uint32_t next = entries_[index(block)].next_twin;
  if (next == kNone || entries_[next].first) return std::nullopt;
  return BlockId{next};
}

void HashIndex::add(BlockId block, const BlockHash& hash) {
  if (contains(block)) throw MisuseError("block " + std::to_string(value(block)) + " has a hash already");
  const std::optional<BlockId> twin = find(hash);
  const std::uint32_t id = value(block);
  Entry& entry = entries_[id];
  if (twin) {
    const std::uint32_t first = value(*twin);
    const std::uint32_t last = entries_[first].previous_twin;
    entry = {hash, kNone, first, last, false, true};
    entries_[last].next_twin = id;
    entries_[first].previous_twin = id;
  } else {
    entry = {hash, bucket(hash), id, id, true, true};
    bucket(hash) = id;
    ++num_hashes_;
  }
  ++num_blocks_;
}

std::uint32_t& HashIndex::link_to(std::uint32_t first) {
  std::uint32_t* link = &bucket(entries_[first].hash);
  while (*link != first) link = &entries_[*link].next_in_bucket;
  return *link;
}

void HashIndex::remove(BlockId block) {
  if (!contains(block)) throw MisuseError("block " + std::to_string(value(block)) + " has no hash");
  const std::uint32_t id = value(block);
  const Entry entry = entries_[id];
  const bool alone = entry.next_twin == id;
  if (entry.first && alone) {
    link_to(id) = entry.next_in_bucket;
    --num_hashes_;
  } else if (entry.first) {
    link_to(id) = entry.next_twin;
    entries_[entry.next_twin].next_in_bucket = entry.next_in_bucket;
    entries_[entry.next_twin].first = true;
  }
  if (!alone) {
    entries_[entry.previous_twin].next_twin = entry.next_twin;
    entries_[entry.next_twin].previous_twin = entry.previous_twin;
  }
  entries_[id] = {};
  --num_blocks_;
}

void HashIndex::clear() { *this = HashIndex(entries_.size()); }

std::vector<std::string> HashIndex::violations() const {
  std::vector<std::string> wrong;
  std::size_t hashes = 0, blocks = 0;
  for (std::size_t at = 0; at < buckets_.size(); ++at) {
    for (std::uint32_t first = buckets_[at]; first != kNone; first = entries_[first].next_in_bucket) {
      ++hashes;
      std::uint32_t id = first;
      do {
        const Entry& entry = entries_[id];
        ++blocks;
        if (!entry.used || entry.hash != entries_[first].hash || entry.first != (id == first) ||
            (entry.hash.low & (buckets_.size() - 1)) != at || entries_[entry.next_twin].previous_twin != id) {
          wrong.push_back(tr_format("Block {} stands in the hash table where it does not belong.", id));
        }
        id = entry.next_twin;
      } while (id != first && blocks <= entries_.size());
    }
  }
  if (hashes != num_hashes_ || blocks != num_blocks_) {
    wrong.push_back(tr_format("The hash table counts {} blocks with {} hashes; it holds {} with {}.", num_blocks_,
                              num_hashes_, blocks, hashes));
  }
  return wrong;
}

}  // namespace kvarium
