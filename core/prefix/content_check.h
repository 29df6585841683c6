#pragma once
// What each cached block was really computed from, so that a hit can be verified and two prompts whose hashes collide
// are never confused.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// Names the content of a block and of all before it, without hashing: equal names, equal content.
enum class ContentId : std::uint64_t {};

/// The tokens of a block are compared with those that are asked for, and so is what came before: comparing the block's
/// own tokens alone would miss a collision of its parents' hashes. The price: the tokens of all cached blocks, 4 bytes
/// each.
///
/// A content keeps its name for as long as a block holds it or follows it. So a block that is evicted and computed
/// again has its old name, and the blocks behind it, which were cached all the time, are found again.
class ContentCheck {
 public:
  explicit ContentCheck(std::size_t num_blocks) : of_block_(num_blocks) {}

  /// What stands before the first block of a request with this tagged_scope(), while any block is remembered behind it.
  std::optional<ContentId> root(const std::string& scope) const;
  bool matches(BlockId block, ContentId before, std::span<const TokenId> tokens, std::string_view media) const;
  /// `block`, which is not remembered, is the first one of a request with this tagged_scope().
  void remember_first(BlockId block, const std::string& scope, std::span<const TokenId> tokens, std::string media);
  /// `block`, which is not remembered, follows `before`, which is.
  void remember(BlockId block, BlockId before, std::span<const TokenId> tokens, std::string media);
  /// Of a remembered block.
  void forget(BlockId block);
  void clear();
  ContentId content_of(BlockId block) const { return of_block_[index(block)].value()->second.id; }  ///< remembered

 private:
  /// What stands before, and the block itself. Of a root: nothing, no tokens, and the scope in place of the media.
  struct Key {
    ContentId before{};
    std::string media;
    std::vector<TokenId> tokens;
    bool operator<(const Key& other) const;
  };
  struct Content;
  using Contents = std::map<Key, Content>;  // its iterators stay valid
  struct Content {
    ContentId id{};
    std::uint64_t users = 0;  ///< blocks that hold it, and contents that follow it
    std::optional<Contents::iterator> before;
  };

  Contents::iterator use(Key key, std::optional<Contents::iterator> before);
  void let_go(Contents::iterator content);

  std::uint64_t last_ = 0;
  Contents contents_;
  std::vector<std::optional<Contents::iterator>> of_block_;  ///< by BlockId
};

}  // namespace kvarium
