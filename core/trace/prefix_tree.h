#pragma once
// What the prefix cache keeps, as one tree, whichever cache it is: the nodes of the radix tree; or the blocks that are
// found by their hash, each below the block that its writer's tokens say comes before it, runs without a fork as one
// node. A path from the root reads as the beginning of a prompt.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/world.h"

namespace kvarium {

constexpr std::size_t kPreviewTokens = 16;

struct PrefixNode {
  std::uint32_t parent = 0;      ///< its place in the list; the root's own
  NodeId id{};                   ///< in a radix tree
  std::vector<TokenId> preview;  ///< its first tokens, at most kPreviewTokens
  std::uint32_t num_tokens = 0;  ///< whose K and V are in its blocks
  std::vector<BlockId> blocks;   ///< in the order of the tokens
  std::string scope;             ///< of a child of the root
  std::uint32_t locks = 0;       ///< in a radix tree
  std::uint64_t used_step = 0;   ///< of the last use; of hashed blocks: in which the newest was written
  bool found = true;             ///< false: what comes before it is gone, so nobody finds it
  std::uint32_t folded = 0;      ///< this is no node, it stands for so many branches that are left out
  bool operator==(const PrefixNode&) const = default;
};

enum class PrefixTreeKind : std::uint8_t { none, radix, hashes };

struct PrefixTree {
  PrefixTreeKind kind = PrefixTreeKind::none;  ///< none: nothing is cached, and there is no radix tree
  std::vector<PrefixNode> nodes;  ///< the root first, each node before its children, these sorted by tokens
};

/// Of more than `most_children` children of a node, the last ones are folded into one.
PrefixTree prefix_tree(const World& world, std::size_t most_children = SIZE_MAX);

/// A line a node, indented below its parent: "node 4 "fgh": 3 tokens, blocks 5 6 7, locks 1, used in step 3". At most
/// `most_lines`; the last one says how many are left out.
std::string show_prefix_tree(const World& world, std::size_t most_lines);

}  // namespace kvarium
