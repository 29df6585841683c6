#include "core/prefix/content_check.h"

#include <algorithm>

namespace kvarium {

ContentCheck::ContentCheck(std::size_t num_blocks, std::uint32_t block_size)
    : block_size_(block_size), kept_(num_blocks), tokens_(num_blocks * block_size) {}

std::optional<ContentId> ContentCheck::root(const std::string& scope) const {
  const auto found = roots_.find(scope);
  if (found == roots_.end()) return std::nullopt;
  return found->second;
}

ContentId ContentCheck::add_root(const std::string& scope) {
  const auto [place, is_new] = roots_.try_emplace(scope);
  if (is_new) place->second = fresh();
  return place->second;
}

bool ContentCheck::matches(BlockId block, ContentId before, std::span<const TokenId> tokens,
                           std::string_view media) const {
  const Kept& kept = kept_[index(block)];
  const auto own = tokens_.begin() + static_cast<std::ptrdiff_t>(index(block) * block_size_);
  return kept.before == before && kept.media == media && std::equal(tokens.begin(), tokens.end(), own);
}

ContentId ContentCheck::remember(BlockId block, ContentId before, std::span<const TokenId> tokens,
                                 std::string_view media, std::optional<BlockId> twin) {
  kept_[index(block)] = {before, twin ? content_of(*twin) : fresh(), std::string(media)};
  std::copy(tokens.begin(), tokens.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(index(block) * block_size_));
  return content_of(block);
}

}  // namespace kvarium
