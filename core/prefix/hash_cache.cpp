#include "core/prefix/hash_cache.h"

#include <algorithm>

#include "core/error.h"
#include "core/trace/heard.h"
#include "core/words/words.h"

namespace kvarium {

/// Walks along a request's blocks and tells of each which cached block, if any, really holds the same.
class HashCache::Verifier {
 public:
  Verifier(const HashCache& cache, const PrefixQuery& query) : cache_(cache), query_(query) {}

  std::string scope() const { return query_.keys == nullptr ? std::string() : tagged_scope(*query_.keys); }
  std::span<const TokenId> tokens(std::size_t i) const { return query_.tokens.subspan(i * size(), size()); }
  std::string media(std::size_t i) const {
    if (query_.keys == nullptr) return {};
    return tagged_media(*query_.keys, static_cast<std::uint32_t>(i) * size(), size());
  }
  /// The longest beginning that is cached, of the request's first `most` blocks.
  std::vector<BlockId> beginning(std::size_t most) const {
    std::vector<BlockId> found;
    const std::optional<ContentId> root = cache_.contents_->root(scope());
    if (!root) return found;
    for (ContentId before = *root; found.size() < most; before = cache_.contents_->content_of(found.back())) {
      const std::optional<BlockId> block = find(found.size(), before);
      if (!block) break;
      found.push_back(*block);
    }
    return found;
  }

 private:
  /// The first of the blocks with this hash that holds the request's block i after `before`.
  std::optional<BlockId> find(std::size_t i, ContentId before) const {
    std::optional<BlockId> twin = cache_.index_.find(query_.hashes[i]);
    while (twin && !cache_.contents_->matches(*twin, before, tokens(i), media(i)))
      twin = cache_.index_.next_twin(*twin);
    return twin;
  }
  std::uint32_t size() const { return cache_.pool_.block_size(); }

  const HashCache& cache_;
  const PrefixQuery& query_;
};

HashCache::HashCache(BlockPool& pool, HashCacheOptions options)
    : pool_(pool), options_(options), index_(pool.num_blocks()) {
  if (options.policy != nullptr && options.order == QueueOrder::classic) {
    throw InputError("an eviction policy needs the queue order of 2026: blocks without a hash must go first");
  }
  if (options.verify_tokens) contents_.emplace(pool.num_blocks());
  if (options.policy != nullptr) policy_ = options.policy->make();
  if (options.time_to_live_ns > 0) rests_since_.assign(pool.num_blocks(), 0);
  pool_.set_keeper(this);
}

HashCache::~HashCache() { pool_.set_keeper(nullptr); }

// --- a request starts

PrefixHit HashCache::find(const PrefixQuery& query) const {
  const std::size_t most_tokens = query.tokens.empty() ? 0 : query.tokens.size() - 1;
  const std::size_t most = std::min(most_tokens / pool_.block_size(), query.hashes.size());
  PrefixHit hit;
  if (contents_) {
    hit.blocks = Verifier(*this, query).beginning(most);
  } else {
    hit.blocks.reserve(most);
    for (std::size_t i = 0; i < most; ++i) {
      const std::optional<BlockId> block = index_.find(query.hashes[i]);
      if (!block) break;
      hit.blocks.push_back(*block);
    }
  }
  hit.num_tokens = static_cast<std::uint32_t>(hit.blocks.size() * pool_.block_size());
  return hit;
}

bool HashCache::fits(const PrefixHit& hit, std::size_t fresh) const {
  const auto free_hits = static_cast<std::size_t>(std::count_if(
      hit.blocks.begin(), hit.blocks.end(), [this](BlockId block) { return pool_.ref_count(block) == 0; }));
  return fresh <= pool_.num_free() && free_hits <= pool_.num_free() - fresh;
}

void HashCache::adopt(BlockTable& table, RequestId request, const PrefixHit& hit, std::uint32_t num_tokens) {
  table.adopt(hit.blocks);
  pool_.sink().emit(PrefixMatched{request, num_tokens, hit.num_tokens});
}

// --- blocks come and go

// The cached blocks of a table are its first ones: look for their end from behind.
void HashCache::cache_full_blocks(RequestId request, const BlockTable& table, const PrefixQuery& query) {
  const std::size_t full = std::min(query.tokens.size() / pool_.block_size(), query.hashes.size());
  const std::vector<BlockId>& blocks = table.blocks();
  if (full > blocks.size()) {
    throw MisuseError(std::to_string(full) + " full blocks of tokens, but the table has " +
                      std::to_string(blocks.size()) + " blocks");
  }
  std::size_t first = full;
  while (first > 0 && !index_.contains(blocks[first - 1])) --first;
  for (std::size_t i = first; i < full; ++i) {
    if (contents_) {
      const Verifier verifier(*this, query);
      if (i == 0) contents_->remember_first(blocks[i], verifier.scope(), verifier.tokens(i), verifier.media(i));
      if (i > 0) contents_->remember(blocks[i], blocks[i - 1], verifier.tokens(i), verifier.media(i));
    }
    index_.add(blocks[i], query.hashes[i]);
    if (policy_) {
      policy_->insert(blocks[i], static_cast<std::uint32_t>(i));
      policy_->lock(blocks[i]);
    }
    if (heard(pool_.sink()))
      pool_.sink().emit(BlockCached{request, blocks[i], static_cast<std::uint32_t>(i), query.hashes[i]});
  }
}

BlockId HashCache::next(BlockId head) const {
  if (!policy_ || !index_.contains(head)) return head;
  return policy_->victim().value_or(head);
}

/// The cached block is found no more. Returns its hash.
BlockHash HashCache::drop(BlockId block) {
  const BlockHash hash = index_.hash_of(block);
  index_.remove(block);
  if (contents_) contents_->forget(block);
  if (policy_) policy_->erase(block);
  return hash;
}

void HashCache::forget(RequestId request, BlockId block) {
  if (!index_.contains(block)) return;
  const BlockHash hash = drop(block);
  if (heard(pool_.sink())) pool_.sink().emit(BlockEvicted{request, block, hash});
}

bool HashCache::rests(BlockId block) {
  if (!index_.contains(block)) return options_.order == QueueOrder::head_2026;
  if (policy_) {
    policy_->unlock(block);
    policy_->touch(block);
  }
  if (options_.time_to_live_ns > 0) {
    rests_.push_back({now_ns_, block});
    rests_since_[index(block)] = now_ns_;
  }
  return false;
}

void HashCache::wakes(BlockId block) {
  if (policy_ && index_.contains(block)) policy_->lock(block);
}

void HashCache::pass_time(std::uint64_t now_ns) {
  now_ns_ = now_ns;
  for (; !rests_.empty() && now_ns - rests_.front().since_ns >= options_.time_to_live_ns; rests_.pop_front()) {
    const auto [since, block] = rests_.front();
    const bool still_rests = pool_.ref_count(block) == 0 && rests_since_[kvarium::index(block)] == since;
    if (!still_rests || !index_.contains(block)) continue;
    const BlockHash hash = drop(block);
    pool_.sink().emit(BlockExpired{block, hash});
  }
}

bool HashCache::reset() {
  if (pool_.num_free() < pool_.num_blocks()) return false;
  index_.clear();
  if (contents_) contents_->clear();
  if (policy_) policy_ = options_.policy->make();
  pool_.sink().emit(PrefixCacheReset{});
  return true;
}

// --- questions

std::optional<BlockHash> HashCache::hash_of(BlockId block) const {
  if (!index_.contains(block)) return std::nullopt;
  return index_.hash_of(block);
}

std::string HashCache::show() const {
  std::string text = "cached";
  for (std::uint32_t id = 0; id < pool_.num_blocks(); ++id) {
    if (!index_.contains(BlockId{id})) continue;
    const BlockId found = index_.find(index_.hash_of(BlockId{id})).value();
    text += " " + std::to_string(id) + (value(found) == id ? "" : "=" + std::to_string(value(found)));
  }
  return text;
}

std::vector<std::string> HashCache::violations() const {
  std::vector<std::string> wrong = index_.violations();
  for (std::uint32_t id = 0; id < pool_.num_blocks(); ++id) {
    if (!index_.contains(BlockId{id}) || index_.find(index_.hash_of(BlockId{id}))) continue;
    wrong.push_back(tr_format("Block {} is cached, and its hash does not find it.", id));
  }
  return wrong;
}

}  // namespace kvarium
