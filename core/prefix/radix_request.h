#pragma once
// One request's life with the radix tree, from its admission to its end (SGLang: cache_unfinished_req,
// cache_finished_req).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/prefix/radix_cache.h"

namespace kvarium {

/// The blocks of one request, page by page:
///
///   | the tree's, locked ...... | its own .................. |
///   0                      shared_pages()             blocks().size()
///
/// The caller takes fresh blocks from a pool and returns to it whatever the functions hand back.
class RadixRequest {
 public:
  /// Matches all but the last token, because one token must be computed to get logits, and locks what matched.
  RadixRequest(RadixCache& cache, std::span<const TokenId> tokens, std::string scope = {});
  RadixRequest(const RadixRequest&) = delete;
  RadixRequest& operator=(const RadixRequest&) = delete;

  const std::vector<BlockId>& blocks() const { return blocks_; }
  std::size_t shared_pages() const { return shared_pages_; }
  std::uint32_t hit_tokens() const { return hit_tokens_; }  ///< of the look-up at its admission
  void append(std::span<const BlockId> fresh) { blocks_.insert(blocks_.end(), fresh.begin(), fresh.end()); }

  /// After a chunk of a prompt: `tokens`, whose K and V are computed, become the tree's, so that others can share them
  /// at once. Where another request was faster, its blocks replace this one's, which are handed back.
  std::vector<BlockId> cache_unfinished(std::span<const TokenId> tokens);
  /// At the end: prompt and answer become the tree's, the lock goes. Hands back the duplicates and the blocks behind
  /// the last whole page.
  std::vector<BlockId> cache_finished(std::span<const TokenId> tokens);
  /// Abort or preemption: nothing is added to the tree, the lock goes, its own blocks are handed back.
  std::vector<BlockId> let_go();

 private:
  std::vector<BlockId> take_from(std::size_t first, std::size_t last) const;

  RadixCache& cache_;
  std::string scope_;
  NodeId locked_{};
  std::vector<BlockId> blocks_;
  std::size_t shared_pages_ = 0;
  std::uint32_t hit_tokens_ = 0;
};

}  // namespace kvarium
