#pragma once
// Which path of a tree of candidates the target goes: pure functions, as for a chain (acceptance.h). One pass of the
// target over the pending token and the n candidates of the tree gives n + 1 distributions, one behind each node.
//
// The same as verify_paths() of what the target says behind each node; but no more is asked of it than the path needs.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/speculation/acceptance.h"
#include "core/speculation/tree.h"

namespace kvarium {

struct TreeVerdict {
  /// As of a chain along the path that was gone. Its last trial was rejected when the path ends at a node with
  /// children, none of which the target says: then it is the first of them.
  Verdict verdict;
  std::vector<std::uint32_t> path;  ///< the accepted nodes, from depth 1 on
};

/// The target's distribution behind a node: [vocab].
using TargetBehind = std::function<std::vector<double>(std::uint32_t node)>;

/// Greedy decoding: the path along which each candidate is what the target itself says. `candidates`: [nodes - 1], of
/// all nodes but the root, those of one parent all different. `best`: [nodes], the target's likeliest token behind
/// each. MisuseError for other lengths and for two siblings alike.
TreeVerdict verify_tree_greedy(const CandidateTree& tree, std::span<const TokenId> candidates,
                               std::span<const TokenId> best);

/// Sampling: a token is drawn from the target behind each node, and the path goes on where a child is that token. What
/// comes out was drawn from the target, so it has its distribution, whatever the candidates are. It is for candidates
/// that were certain (q = 1): of those it accepts as many as any rule can. `target` is asked for the nodes of the path
/// alone. `uniforms`: [nodes], each in [0, 1). MisuseError for other lengths, for two siblings alike, and for a judged
/// candidate outside the vocabulary.
TreeVerdict verify_tree_sampled(const CandidateTree& tree, std::span<const TokenId> candidates,
                                const TargetBehind& target, std::span<const double> uniforms);

}  // namespace kvarium
