#include "core/prefix/hash_prefix_cache.h"

#include <utility>

namespace kvarium {

class HashPrefixCache::Request final : public PrefixRequest {
 public:
  Request(HashPrefixCache& owner, RequestId request, ExtraKeys keys)
      : owner_(owner), request_(request), keys_(std::move(keys)) {}

  PrefixHit look_up(std::span<const TokenId> tokens) const override { return owner_.cache_.find(query(tokens)); }
  void start(BlockTable& table, std::span<const TokenId> tokens) override {
    owner_.cache_.adopt(table, request_, look_up(tokens), static_cast<std::uint32_t>(tokens.size()));
  }
  void publish(BlockTable& table, std::span<const TokenId> computed, Phase) override {
    owner_.cache_.cache_full_blocks(request_, table, query(computed));
  }
  // All its full blocks can be found already, and go on waiting in the free queue.
  void leave(BlockTable&, std::span<const TokenId>, bool) override {}
  std::unique_ptr<PrefixRequest> fork(RequestId child, BlockTable&, std::span<const TokenId>) override {
    return std::make_unique<Request>(owner_, child, keys_);
  }

 private:
  /// Hashes are a function of the tokens, which only grow: those of earlier calls are kept.
  PrefixQuery query(std::span<const TokenId> tokens) const {
    if (owner_.fault_ == Fault::hash_without_parent) {
      hash_each_block_alone(tokens);
    } else {
      owner_.hasher_.extend(hashes_, tokens, keys_);
    }
    return {tokens, std::span(hashes_).first(tokens.size() / owner_.hasher_.block_size()), &keys_};
  }

  void hash_each_block_alone(std::span<const TokenId> tokens) const {
    const std::size_t size = owner_.hasher_.block_size();
    while ((hashes_.size() + 1) * size <= tokens.size()) {
      const auto block = tokens.subspan(hashes_.size() * size, size);
      hashes_.push_back(owner_.hasher_.block(owner_.hasher_.root(keys_), block));
    }
  }

  HashPrefixCache& owner_;
  RequestId request_;
  ExtraKeys keys_;
  mutable std::vector<BlockHash> hashes_;
};

HashPrefixCache::HashPrefixCache(BlockPool& pool, const HashCacheOptions& options, unsigned hash_bits,
                                 std::uint64_t seed, Fault fault)
    : pool_(pool), hasher_(pool.block_size(), hash_bits, seed), cache_(pool, options), fault_(fault) {}

std::unique_ptr<PrefixRequest> HashPrefixCache::arrive(RequestId request, const ExtraKeys& keys) {
  return std::make_unique<Request>(*this, request, fault_ == Fault::salt_mixed_up ? ExtraKeys{} : keys);
}

}  // namespace kvarium
