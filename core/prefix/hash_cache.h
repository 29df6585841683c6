#pragma once
// The prefix cache of vLLM: full blocks stay findable by the hash of what they hold, also while nobody holds them. A
// block that is free and cached waits in the free queue like any other; who finds it takes it back out of the queue's
// middle, and it is evicted only when its turn comes to be handed out. So the free queue is the LRU list.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/eviction/policies.h"
#include "core/ids.h"
#include "core/prefix/content_check.h"
#include "core/prefix/extra_keys.h"
#include "core/prefix/hash_index.h"
#include "core/prefix/prefix_cache.h"

namespace kvarium {

/// Where a block without a hash goes when nobody holds it any more. Blocks with a hash always go to the tail, the
/// deepest of a prompt first: fewer prompts share it than share its parent, so it must be handed out before.
enum class QueueOrder : std::uint8_t {
  classic,    ///< to the tail as well
  head_2026,  ///< to the head: it can never be found, so handing it out first keeps cached blocks alive (vLLM, June
              ///< 2026)
};

struct HashCacheOptions {
  QueueOrder order = QueueOrder::head_2026;
  bool verify_tokens = false;  ///< compare tokens on every hit: a hash collision becomes a miss. See ContentCheck
  /// Which cached block goes when no other block is free; none: the one at the head of the free queue, which is the
  /// least recently used. A block counts as used once more whenever the last table lets it go. Needs head_2026.
  const NamedPolicy* policy = nullptr;
  /// How long a cached block lives after its last use, nanoseconds of pass_time(); 0: for ever. Each use renews it.
  std::uint64_t time_to_live_ns = 0;
};

/// What is asked of the cache. The spans must outlive the call only.
struct PrefixQuery {
  std::span<const TokenId> tokens;    ///< all tokens of the request
  std::span<const BlockHash> hashes;  ///< of its full blocks, by a BlockHasher of the pool's block size
  const ExtraKeys* keys = nullptr;    ///< the same that were hashed; nullptr: none. Read only to verify
};

/// Several blocks may hold the same content: a table is never rewritten, so a request that computed what another had
/// computed meanwhile keeps its own copy. The first of them is the one that is found.
class HashCache : private BlockKeeper {
 public:
  /// Becomes the pool's keeper. The pool must outlive the cache.
  explicit HashCache(BlockPool& pool, HashCacheOptions options = {});
  ~HashCache() override;

  /// The longest cached beginning, in full blocks. At least one token is left to compute, because only computing gives
  /// logits: of a prompt of exactly k blocks at most k-1 are found, since a hit ends at the end of a block.
  PrefixHit find(const PrefixQuery& query) const;
  /// Can the hit be adopted and `fresh` more blocks be taken? A hit on a free block takes one from the free queue too.
  bool fits(const PrefixHit& hit, std::size_t fresh) const;
  /// The empty table starts with the blocks of the hit; announces PrefixMatched, also for a hit of 0 tokens, with
  /// `num_tokens`, the tokens of the request. Once an admission: looking up again and again counts nothing.
  void adopt(BlockTable& table, RequestId request, const PrefixHit& hit, std::uint32_t num_tokens);
  /// The full blocks of `query.tokens` can be found from now on. Give only tokens whose K and V are, or in this step
  /// will be, computed; never drafts. MisuseError, nothing done, when the table has fewer blocks.
  void cache_full_blocks(RequestId request, const BlockTable& table, const PrefixQuery& query);
  /// It is `now_ns` nanoseconds since the start: blocks that nobody used for their time to live are forgotten.
  void pass_time(std::uint64_t now_ns);
  /// Forgets everything, for new weights. False, nothing done, while anybody holds a block.
  [[nodiscard]] bool reset();

  std::optional<BlockHash> hash_of(BlockId block) const;  ///< nothing when the block is not cached
  std::size_t num_cached() const { return index_.num_blocks(); }
  std::size_t num_hashes() const { return index_.num_hashes(); }
  /// "cached 0 1 2=1": in id order; block 2 has the same hash as block 1, which is the one that is found.
  std::string show() const;
  /// One sentence for each thing that is wrong; empty when all invariants hold. O(blocks).
  std::vector<std::string> violations() const;

 private:
  class Verifier;

  BlockId next(BlockId head) const override;
  void forget(RequestId request, BlockId block) override;
  bool rests(BlockId block) override;
  void wakes(BlockId block) override;
  BlockHash drop(BlockId block);

  BlockPool& pool_;
  HashCacheOptions options_;
  HashIndex index_;
  std::optional<ContentCheck> contents_;  ///< when tokens are verified
  std::unique_ptr<EvictionPolicy> policy_;
  struct Rest {
    std::uint64_t since_ns = 0;
    BlockId block{};
  };
  std::deque<Rest> rests_;                  ///< in the order of time; one for each time a cached block came to rest
  std::vector<std::uint64_t> rests_since_;  ///< by BlockId: of the last of these
  std::uint64_t now_ns_ = 0;
};

}  // namespace kvarium
