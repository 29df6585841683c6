#include "core/prefix/radix_prefix_cache.h"

#include <utility>

namespace kvarium {

/// The blocks of one request, in its table (SGLang: cache_unfinished_req, cache_finished_req):
///
///   | the tree's, locked ...... | its own .................. |
///   0                      shared_blocks_              table.blocks().size()
class RadixPrefixCache::Request final : public PrefixRequest {
 public:
  Request(RadixPrefixCache& owner, RequestId request, std::string scope)
      : owner_(owner), request_(request), scope_(std::move(scope)) {}

  PrefixHit look_up(std::span<const TokenId> tokens) const override {
    PrefixHit hit{owner_.tree_.peek(all_but_last(tokens), scope_), 0};
    hit.num_tokens = static_cast<std::uint32_t>(hit.blocks.size() * owner_.tree_.page_size());
    return hit;
  }
  void start(BlockTable& table, std::span<const TokenId> tokens) override {
    const RadixMatch hit = owner_.match(all_but_last(tokens), scope_);
    take_lock(hit.node);
    table.adopt(hit.blocks);
    shared_blocks_ = hit.blocks.size();
    owner_.pool_.sink().emit(PrefixMatched{request_, static_cast<std::uint32_t>(tokens.size()), hit.num_tokens});
  }
  /// After a chunk of a prompt, so that others can share it at once. Tokens of an answer join the tree at the end.
  void publish(BlockTable& table, std::span<const TokenId> computed, Phase phase) override {
    if (phase == Phase::prefill) insert(table, computed);
  }
  void leave(BlockTable& table, std::span<const TokenId> computed, bool finished) override {
    if (finished) insert(table, computed);
    if (std::exchange(holds_lock_, false)) owner_.unlock(locked_);
    shared_blocks_ = 0;
  }
  /// All full blocks that the two will share go into the tree first, and both lock them: a node without a lock whose
  /// blocks a table holds would count as evictable, and evicting it would free nothing.
  std::unique_ptr<PrefixRequest> fork(RequestId child, BlockTable& table, std::span<const TokenId> computed) override {
    insert(table, computed);
    auto forked = std::make_unique<Request>(owner_, child, scope_);
    forked->take_lock(locked_);
    forked->shared_blocks_ = shared_blocks_;
    return forked;
  }

 private:
  static std::span<const TokenId> all_but_last(std::span<const TokenId> tokens) {
    return tokens.first(tokens.empty() ? 0 : tokens.size() - 1);
  }
  void take_lock(NodeId node) {
    owner_.lock(node);
    locked_ = node;
    holds_lock_ = true;
  }
  // Where another request was faster, its blocks are in the tree, and the table must name those before the duplicates
  // are let go: whoever gets the duplicates next overwrites them.
  void insert(BlockTable& table, std::span<const TokenId> computed) {
    owner_.insert(computed, table.blocks(), scope_);
    const RadixMatch kept = owner_.match(computed, scope_);
    for (std::size_t i = shared_blocks_; i < kept.blocks.size(); ++i) {
      if (table.blocks()[i] != kept.blocks[i]) table.replace(i, kept.blocks[i]);
    }
    shared_blocks_ = kept.blocks.size();
    const NodeId before = locked_;
    const bool held_lock =
        holds_lock_;       // not when its K and V came back from the host: then it never looked anything up
    take_lock(kept.node);  // before the old lock goes: the path must not be evictable in between
    if (held_lock) owner_.unlock(before);
  }

  RadixPrefixCache& owner_;
  RequestId request_;
  std::string scope_;
  NodeId locked_ = RadixCache::root();
  bool holds_lock_ = false;
  std::size_t shared_blocks_ = 0;
};

RadixPrefixCache::RadixPrefixCache(BlockPool& pool, Fault fault)
    : pool_(pool),
      tree_(pool.block_size(), fault == Fault::flat_lru ? EvictionUnit::any_node : EvictionUnit::node),
      in_tree_(pool.num_blocks(), false) {
  pool_.sink().emit(RadixTreeCreated{});
}

std::unique_ptr<PrefixRequest> RadixPrefixCache::arrive(RequestId request, const ExtraKeys& keys) {
  return std::make_unique<Request>(*this, request, tagged(keys));
}

std::size_t RadixPrefixCache::num_available() const {
  return pool_.num_free() + static_cast<std::size_t>(tree_.evictable_tokens() / tree_.page_size());
}

std::uint32_t RadixPrefixCache::own_references(BlockId block) const { return in_tree_[index(block)] ? 1 : 0; }

void RadixPrefixCache::make_room(std::size_t blocks) {
  if (blocks > pool_.num_free()) evict(std::uint64_t{blocks - pool_.num_free()} * tree_.page_size());
}

bool RadixPrefixCache::reset() {
  if (tree_.protected_tokens() > 0) return false;
  evict(tree_.evictable_tokens());
  pool_.sink().emit(PrefixCacheReset{});
  return true;
}

// --- the tree, and what is said of it

RadixMatch RadixPrefixCache::match(std::span<const TokenId> tokens, const std::string& scope) {
  RadixMatch match = tree_.match(tokens, scope);
  announce(match.split);
  pool_.sink().emit(RadixPathUsed{match.node});
  return match;
}

RadixInsertion RadixPrefixCache::insert(std::span<const TokenId> tokens, std::span<const BlockId> blocks,
                                        const std::string& scope) {
  const RadixInsertion inserted = tree_.insert(tokens, blocks, scope);
  announce(inserted.split);
  if (!inserted.leaf) return inserted;
  const std::size_t pages = tokens.size() / tree_.page_size();
  const std::size_t present = inserted.num_present / tree_.page_size();
  const auto kept_tokens = tokens.first(pages * tree_.page_size()).subspan(inserted.num_present);
  const auto kept_blocks = blocks.first(pages).subspan(present);
  for (const BlockId block : kept_blocks) {
    pool_.retain(block);
    in_tree_[index(block)] = true;
  }
  const NodeId parent = tree_.parent(*inserted.leaf);
  pool_.sink().emit(RadixNodeInserted{*inserted.leaf,
                                      parent,
                                      {kept_tokens.begin(), kept_tokens.end()},
                                      {kept_blocks.begin(), kept_blocks.end()},
                                      parent == RadixCache::root() ? scope : std::string()});
  return inserted;
}

void RadixPrefixCache::lock(NodeId node) {
  tree_.lock(node);
  pool_.sink().emit(RadixPathLocked{node});
}

void RadixPrefixCache::unlock(NodeId node) {
  tree_.unlock(node);
  pool_.sink().emit(RadixPathUnlocked{node});
}

void RadixPrefixCache::announce(const std::optional<RadixSplit>& split) {
  if (split) pool_.sink().emit(RadixNodeSplit{split->upper, split->lower, split->tokens});
}

void RadixPrefixCache::evict(std::uint64_t tokens) {
  const RadixEviction evicted = tree_.evict(tokens);
  for (const NodeId node : evicted.nodes) pool_.sink().emit(RadixNodeRemoved{node});
  for (const BlockId block : evicted.blocks) {
    in_tree_[index(block)] = false;
    pool_.let_go(block);
  }
}

}  // namespace kvarium
