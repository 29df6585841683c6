#pragma once
// Candidates as a tree (Cai et al. 2024, Medusa, section 2.3.1): several guesses for each position, so that one pass of
// the target judges many continuations at once. Node 0 is the pending token, which the target has said itself.
//
//   choices [0] [1] [0,0] [0,1] [0,0,0]:          0 ┬ 1 ┬ 3 ─ 5
//                                                   │   └ 4
//                                                   └ 2
//   The node of choice [a,b] holds the proposer's guess of rank b for the position behind its guess of rank a.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// Fills a path behind its end. No token has this id: with 0 in its place, as in Medusa's own code, a target that says
/// token 0 would be taken to accept what is not there.
inline constexpr TokenId kNoToken{-1};

struct CandidateTree {
  std::vector<std::uint32_t> parents;             ///< [nodes]: of the root 0. A parent comes before its children
  std::vector<std::uint32_t> depths;              ///< [nodes]: position = that of the root + depth; siblings share it
  std::vector<std::uint32_t> ranks;               ///< [nodes]: the guess for its position; of the root 0
  std::vector<std::vector<std::uint32_t>> paths;  ///< from the root to each leaf: nodes. The best ranks come first

  std::size_t size() const { return parents.size(); }
  std::uint32_t max_depth() const { return depths.back(); }
  /// Does the query of `node` look at the key of `other`? At itself and what is above it, and at no sibling.
  bool attends(std::uint32_t node, std::uint32_t other) const;
};

/// Are these the parents of a tree? Node 0 is its own parent, and the others are numbered by depth, the children of a
/// node side by side and behind those of earlier nodes.
bool is_tree(std::span<const std::uint32_t> parents);
/// MisuseError unless is_tree().
void expect_tree(std::span<const std::uint32_t> parents);
/// How far node is from the root of a tree.
std::uint32_t depth_of(std::span<const std::uint32_t> parents, std::uint32_t node);
/// Do no two children of a node of a tree hold the same token? `candidates`: [nodes - 1], of all nodes but the root.
/// With two alike it would not be said which of them the target means, and what stands behind them would be drawn
/// twice.
bool siblings_differ(std::span<const std::uint32_t> parents, std::span<const TokenId> candidates);

/// From the parents alone; ranks are counted among siblings. MisuseError as expect_tree().
CandidateTree tree_of(std::vector<std::uint32_t> parents);

/// From the choices of all nodes but the root, in any order: nodes are numbered by depth, then by ranks. InputError for
/// an empty or repeated choice, or one whose parent is missing.
CandidateTree make_tree(std::vector<std::vector<std::uint32_t>> choices);

/// Of all trees with so many nodes behind the root the one of which most is expected to be right, when guess r of depth
/// d is right with probability right[d - 1][r], whatever the others are (Cai et al. 2024, section 2.3.3): node by node
/// the likeliest path is added. Fewer nodes where there are no more guesses. MisuseError unless each depth's
/// probabilities descend within [0, 1].
CandidateTree grow_tree(const std::vector<std::vector<double>>& right, std::size_t nodes);

/// Are the nodes of a path, from depth 1 on, the first of the tree: 1, 2, ...? Then their K and V lie where a chain's
/// would.
bool lies_in_front(std::span<const std::uint32_t> path);

/// [paths][max_depth + 1]: what stands along each path, behind its end kNoToken. `of_nodes`: [nodes].
std::vector<std::vector<TokenId>> along_paths(const CandidateTree& tree, std::span<const TokenId> of_nodes);

/// The path that goes furthest.
struct PathVerdict {
  std::size_t path = 0;
  std::uint32_t accepted = 0;  ///< nodes behind the root
  TokenId next{};              ///< what the target says behind them
  bool operator==(const PathVerdict&) const = default;
};

/// A node is accepted when the target says its token behind its parent; the longest accepted path wins, of equals the
/// first. `tokens` and `target` as along_paths() gives them: the nodes' tokens, and what the target says behind each
/// node. With the target's likeliest tokens this is greedy decoding; with one token drawn from p behind each node it is
/// sampling from the target, exactly. MisuseError for sizes that differ or no path.
PathVerdict verify_paths(std::span<const std::vector<TokenId>> tokens, std::span<const std::vector<TokenId>> target);

}  // namespace kvarium
