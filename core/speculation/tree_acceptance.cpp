#include "core/speculation/tree_acceptance.h"

#include <optional>
#include <string>

#include "core/error.h"
#include "core/sampling/sampling.h"

namespace kvarium {
namespace {

void expect_candidates(const CandidateTree& tree, std::span<const TokenId> candidates) {
  if (candidates.size() != tree.size() - 1) {
    throw MisuseError("a tree of candidates needs " + std::to_string(tree.size() - 1) + ", not " +
                      std::to_string(candidates.size()));
  }
  if (!siblings_differ(tree.parents, candidates)) throw MisuseError("two children of a node hold the same candidate");
}

/// What the target says behind a node.
struct Said {
  TokenId token{};
  double u = 0;
  double probability = 0;  ///< of the token
};

/// Goes down from the root as long as a child is what the target says. `says`(node): Said. `p`(node, token): how likely
/// the target says a token behind a node.
template <typename Says, typename Probability>
TreeVerdict walk(const CandidateTree& tree, std::span<const TokenId> candidates, const Says& says,
                 const Probability& p) {
  TreeVerdict result;
  std::uint32_t at = 0;
  while (true) {
    const Said said = says(at);
    std::optional<std::uint32_t> first, accepted;  // of the children
    for (std::uint32_t node = at + 1; node < tree.size(); ++node) {
      if (tree.parents[node] != at) continue;
      if (!first) first = node;
      if (candidates[node - 1] == said.token) accepted = node;
    }
    const std::optional<std::uint32_t> judged = accepted ? accepted : first;
    if (judged) {
      const TokenId token = candidates[*judged - 1];
      result.verdict.trials.push_back({token, p(at, token), 1.0, said.u, accepted.has_value()});
    }
    if (!accepted) {
      result.verdict.next = said.token;
      result.verdict.next_probability = said.probability;
      return result;
    }
    result.path.push_back(*accepted);
    at = *accepted;
  }
}

}  // namespace

TreeVerdict verify_tree_greedy(const CandidateTree& tree, std::span<const TokenId> candidates,
                               std::span<const TokenId> best) {
  expect_candidates(tree, candidates);
  if (best.size() != tree.size()) throw MisuseError("a tree of candidates needs a likeliest token behind each node");
  return walk(
      tree, candidates,
      [&](std::uint32_t node) {
        return Said{best[node], 0, 1};
      },
      [&](std::uint32_t node, TokenId token) { return best[node] == token ? 1.0 : 0.0; });
}

TreeVerdict verify_tree_sampled(const CandidateTree& tree, std::span<const TokenId> candidates,
                                const TargetBehind& target, std::span<const double> uniforms) {
  expect_candidates(tree, candidates);
  if (uniforms.size() != tree.size()) throw MisuseError("a tree of candidates needs a random number for each node");
  std::vector<double> probabilities;  // behind the node that was asked for last
  const auto says = [&](std::uint32_t node) {
    probabilities = target(node);
    const TokenId token = draw(probabilities, uniforms[node]);
    return Said{token, uniforms[node], probabilities[index(token)]};
  };
  const auto p = [&](std::uint32_t, TokenId token) {
    if (value(token) < 0 || index(token) >= probabilities.size()) {
      throw MisuseError("candidate " + std::to_string(value(token)) + " is outside the vocabulary");
    }
    return probabilities[index(token)];
  };
  return walk(tree, candidates, says, p);
}

}  // namespace kvarium
