#pragma once
// vLLM's prefix cache as the engine uses it: a BlockHasher that names the blocks of each request, and a HashCache that
// finds them.

#include "core/faults/fault.h"
#include "core/prefix/block_hash.h"
#include "core/prefix/hash_cache.h"
#include "core/prefix/prefix_cache.h"

namespace kvarium {

class HashPrefixCache final : public PrefixCache {
 public:
  /// The pool must outlive the cache. InputError for hash bits out of range.
  explicit HashPrefixCache(BlockPool& pool, const HashCacheOptions& options = {}, unsigned hash_bits = 128,
                           std::uint64_t seed = 0, Fault fault = Fault::none);

  std::unique_ptr<PrefixRequest> arrive(RequestId request, const ExtraKeys& keys) override;
  std::size_t num_available() const override { return pool_.num_free(); }
  void pass_time(std::uint64_t now_ns) override { cache_.pass_time(now_ns); }
  [[nodiscard]] bool reset() override { return cache_.reset(); }
  std::string show() const override { return cache_.show(); }
  std::vector<std::string> violations() const override { return cache_.violations(); }
  const HashCache& cache() const { return cache_; }

 private:
  class Request;

  BlockPool& pool_;
  BlockHasher hasher_;
  HashCache cache_;
  Fault fault_;
};

}  // namespace kvarium
