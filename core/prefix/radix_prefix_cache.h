#pragma once
// SGLang's prefix cache as the engine uses it: a RadixCache that owns blocks of the pool, one reference each, and says
// what happens to it.

#include "core/faults/fault.h"
#include "core/prefix/prefix_cache.h"
#include "core/prefix/radix_cache.h"

namespace kvarium {

class RadixPrefixCache final : public PrefixCache {
 public:
  /// Announces RadixTreeCreated. The page size is the pool's block size. The pool must outlive the cache.
  explicit RadixPrefixCache(BlockPool& pool, Fault fault = Fault::none);

  std::unique_ptr<PrefixRequest> arrive(RequestId request, const ExtraKeys& keys) override;
  std::size_t num_available() const override;
  std::uint32_t own_references(BlockId block) const override;
  void make_room(std::size_t blocks) override;
  [[nodiscard]] bool reset() override;
  std::string show() const override { return tree_.show(); }
  std::vector<std::string> violations() const override { return tree_.violations(); }
  const RadixCache& tree() const { return tree_; }

 private:
  class Request;

  RadixMatch match(std::span<const TokenId> tokens, const std::string& scope);
  RadixInsertion insert(std::span<const TokenId> tokens, std::span<const BlockId> blocks, const std::string& scope);
  void lock(NodeId node);
  void unlock(NodeId node);
  void announce(const std::optional<RadixSplit>& split);
  void evict(std::uint64_t tokens);

  BlockPool& pool_;
  RadixCache tree_;
  std::vector<bool> in_tree_;  ///< by BlockId
};

}  // namespace kvarium
