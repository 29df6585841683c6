#pragma once
// What each cached block was really computed from, so that a hit can be verified and two prompts whose hashes collide
// are never confused.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// Names the content of a block and of all before it, without hashing: equal names, equal content.
enum class ContentId : std::uint64_t {};

/// The tokens of a block are compared with those that are asked for, and so is what came before: comparing the block's
/// own tokens alone would miss a collision of its parents' hashes. The price: the tokens of all cached blocks, 4 bytes
/// each.
class ContentCheck {
 public:
  ContentCheck(std::size_t num_blocks, std::uint32_t block_size);

  /// What stands before the first block of a request with this tagged_scope(), if any block was remembered behind it.
  std::optional<ContentId> root(const std::string& scope) const;
  ContentId add_root(const std::string& scope);
  bool matches(BlockId block, ContentId before, std::span<const TokenId> tokens, std::string_view media) const;
  /// `block` is now what follows `before`. `twin`: a remembered block that matches the same, if there is one.
  ContentId remember(BlockId block, ContentId before, std::span<const TokenId> tokens, std::string_view media,
                     std::optional<BlockId> twin);
  ContentId content_of(BlockId block) const { return kept_[index(block)].content; }  ///< of a remembered block

 private:
  struct Kept {
    ContentId before{};
    ContentId content{};
    std::string media;
  };
  ContentId fresh() { return ContentId{++last_}; }

  std::uint32_t block_size_;
  std::uint64_t last_ = 0;
  std::vector<Kept> kept_;       ///< by BlockId; only of cached blocks does anyone ask
  std::vector<TokenId> tokens_;  ///< [num_blocks][block_size]
  std::unordered_map<std::string, ContentId> roots_;
};

}  // namespace kvarium
