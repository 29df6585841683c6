#pragma once
// What a trace says of one text: which of its full blocks could be found in the prefix cache, who computed them, and
// how they were lost.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trace/trace.h"

namespace kvarium {

/// What was cached is found no more.
struct PrefixLoss {
  enum class Kind : std::uint8_t { evicted, expired, emptied };
  Kind kind{};
  std::uint64_t step = 0;
  std::optional<RequestId> by;  ///< who needed the room
};

/// Block i of the text stands for all its tokens up to the end of that block.
class PrefixHistory {
 public:
  /// `tokens`, which must outlive this, of a request with this scope. `block_size`, at least 1: of the trace's pool.
  PrefixHistory(const Trace& trace, std::span<const TokenId> tokens, std::string scope, std::uint32_t block_size);

  /// Goes on to after the first `end` events. Only forwards.
  void follow(std::size_t end);
  const World& world() const { return world_; }

  /// Where block i can be found now.
  std::optional<BlockId> findable(std::size_t i) const { return find(i, true); }
  /// Is that in this block?
  bool holds(std::size_t i, BlockId block) const;
  /// Where the same tokens can be found under another scope.
  std::optional<BlockId> findable_elsewhere(std::size_t i) const { return find(i, false); }
  /// How it was lost last; nothing: it was never found.
  std::optional<PrefixLoss> loss(std::size_t i) const { return losses_[i]; }
  /// Whether the other request's text is the same up to position `end`, tokens, scope and all.
  bool shares(RequestId other, std::uint32_t end) const;
  /// Tokens at the beginning of both texts that are the same, whatever their scopes.
  std::uint32_t common_beginning(RequestId other) const;
  /// Of the other request, the tokens whose K and V were ever computed and kept.
  std::uint32_t computed(RequestId other) const;

 private:
  struct Cached {
    std::size_t block = 0;  ///< of the text
    bool own = false;       ///< under the text's scope
  };

  bool same_scope(const std::string& other, std::uint32_t end) const;
  std::optional<BlockId> find(std::size_t i, bool own) const;
  void match_tree(bool own);
  void watch(std::size_t event);
  void cached(const BlockCached& e);
  void emptied();
  void uncached(BlockId block, const PrefixLoss& loss);
  void node_removed(NodeId node, std::size_t event);
  PrefixLoss tree_loss(std::size_t event) const;

  const Trace& trace_;
  std::span<const TokenId> tokens_;
  std::string scope_;
  std::uint32_t block_size_;
  World world_;
  std::unordered_map<std::uint32_t, Cached> cached_;   ///< by BlockId
  std::vector<std::vector<BlockId>> own_, elsewhere_;  ///< [full blocks of the text]: where each is
  std::vector<std::optional<PrefixLoss>> losses_;
  std::vector<std::uint32_t> computed_;  ///< by RequestId
  mutable std::unordered_map<std::uint32_t, std::uint32_t> beginnings_;
};

}  // namespace kvarium
