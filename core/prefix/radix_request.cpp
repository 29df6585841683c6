#include "core/prefix/radix_request.h"

#include <algorithm>
#include <utility>

namespace kvarium {

RadixRequest::RadixRequest(RadixCache& cache, std::span<const TokenId> tokens, std::string scope)
    : cache_(cache), scope_(std::move(scope)) {
  RadixMatch hit = cache_.match(tokens.first(tokens.empty() ? 0 : tokens.size() - 1), scope_);
  cache_.lock(hit.node);
  locked_ = hit.node;
  blocks_ = std::move(hit.blocks);
  shared_pages_ = blocks_.size();
  hit_tokens_ = hit.num_tokens;
}

std::vector<BlockId> RadixRequest::take_from(std::size_t first, std::size_t last) const {
  if (first >= last) return {};
  return {blocks_.begin() + static_cast<std::ptrdiff_t>(first), blocks_.begin() + static_cast<std::ptrdiff_t>(last)};
}

// The row must name the tree's blocks before the duplicates are handed back: whoever gets those next overwrites them.
std::vector<BlockId> RadixRequest::cache_unfinished(std::span<const TokenId> tokens) {
  const RadixInsertion inserted = cache_.insert(tokens, blocks_, scope_);
  std::vector<BlockId> duplicates = take_from(shared_pages_, inserted.num_present / cache_.page_size());
  const RadixMatch kept = cache_.match(tokens, scope_);
  std::copy(kept.blocks.begin(), kept.blocks.end(), blocks_.begin());
  shared_pages_ = kept.blocks.size();
  cache_.lock(kept.node);  // before the old lock goes: the path must not be evictable in between
  cache_.unlock(std::exchange(locked_, kept.node));
  return duplicates;
}

std::vector<BlockId> RadixRequest::cache_finished(std::span<const TokenId> tokens) {
  std::vector<BlockId> free = cache_unfinished(tokens);
  const std::vector<BlockId> tail = let_go();
  free.insert(free.end(), tail.begin(), tail.end());
  return free;
}

std::vector<BlockId> RadixRequest::let_go() {
  cache_.unlock(std::exchange(locked_, RadixCache::root()));
  std::vector<BlockId> own = take_from(shared_pages_, blocks_.size());
  blocks_.clear();
  shared_pages_ = 0;
  return own;
}

}  // namespace kvarium
