#include "core/prefix/prefix_cache.h"

namespace kvarium {
namespace {

class NoPrefixRequest final : public PrefixRequest {
 public:
  PrefixHit look_up(std::span<const TokenId>) const override { return {}; }
  void start(BlockTable&, std::span<const TokenId>) override {}
  void publish(BlockTable&, std::span<const TokenId>, Phase) override {}
  void leave(BlockTable&, std::span<const TokenId>, bool) override {}
  std::unique_ptr<PrefixRequest> fork(RequestId, BlockTable&, std::span<const TokenId>) override {
    return std::make_unique<NoPrefixRequest>();
  }
};

class NoPrefixCache final : public PrefixCache {
 public:
  explicit NoPrefixCache(const BlockPool& pool) : pool_(pool) {}

  std::unique_ptr<PrefixRequest> arrive(RequestId, const ExtraKeys&) override {
    return std::make_unique<NoPrefixRequest>();
  }
  std::size_t num_available() const override { return pool_.num_free(); }

 private:
  const BlockPool& pool_;
};

}  // namespace

std::unique_ptr<PrefixCache> no_prefix_cache(const BlockPool& pool) { return std::make_unique<NoPrefixCache>(pool); }

}  // namespace kvarium
