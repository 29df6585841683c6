#include "core/speculation/tree_acceptance.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/error.h"
#include "core/sampling/sampling.h"

namespace kvarium {
namespace {

/// How likely the target says `token` behind `node`.
using Probability = std::function<double(std::uint32_t node, TokenId token)>;

void expect_count(std::size_t given, std::size_t wanted, const char* what) {
  if (given == wanted) return;
  throw MisuseError("a tree of candidates needs " + std::to_string(wanted) + " " + what + ", not " +
                    std::to_string(given));
}

/// `says`: [nodes], what the target says behind each. `uniforms`: [nodes], by which that was drawn.
TreeVerdict walk(const CandidateTree& tree, std::span<const TokenId> candidates, std::span<const TokenId> says,
                 std::span<const double> uniforms, const Probability& p) {
  std::vector<TokenId> tokens{kNoToken};  // of the root: nobody asks for it
  tokens.insert(tokens.end(), candidates.begin(), candidates.end());
  const PathVerdict best = verify_paths(along_paths(tree, tokens), along_paths(tree, says));
  const std::vector<std::uint32_t>& way = tree.paths[best.path];
  TreeVerdict result;
  const auto judge = [&](std::uint32_t node, bool accepted) {
    const std::uint32_t parent = tree.parents[node];
    result.verdict.trials.push_back({tokens[node], p(parent, tokens[node]), 1.0, uniforms[parent], accepted});
  };
  for (std::uint32_t depth = 1; depth <= best.accepted; ++depth) {
    judge(way[depth], true);
    result.path.push_back(way[depth]);
  }
  const std::uint32_t end = way[best.accepted];
  const auto child = std::find(tree.parents.begin() + 1, tree.parents.end(), end);
  if (child != tree.parents.end()) judge(static_cast<std::uint32_t>(child - tree.parents.begin()), false);
  result.verdict.next = best.next;
  result.verdict.next_probability = p(end, best.next);
  return result;
}

}  // namespace

TreeVerdict verify_tree_greedy(const CandidateTree& tree, std::span<const TokenId> candidates,
                               std::span<const TokenId> best) {
  expect_count(candidates.size(), tree.size() - 1, "candidates");
  expect_count(best.size(), tree.size(), "likeliest tokens");
  const std::vector<double> nothing_left_to_chance(tree.size(), 0.0);
  return walk(tree, candidates, best, nothing_left_to_chance,
              [&](std::uint32_t node, TokenId token) { return best[node] == token ? 1.0 : 0.0; });
}

TreeVerdict verify_tree_sampled(const CandidateTree& tree, std::span<const TokenId> candidates,
                                std::span<const std::vector<double>> target, std::span<const double> uniforms) {
  expect_count(candidates.size(), tree.size() - 1, "candidates");
  expect_count(target.size(), tree.size(), "distributions of the target");
  expect_count(uniforms.size(), tree.size(), "random numbers");
  for (const TokenId token : candidates) {
    if (value(token) < 0 || index(token) >= target[0].size()) {
      throw MisuseError("candidate " + std::to_string(value(token)) + " is outside the vocabulary");
    }
  }
  std::vector<TokenId> says;
  for (std::size_t node = 0; node < tree.size(); ++node) says.push_back(draw(target[node], uniforms[node]));
  return walk(tree, candidates, says, uniforms,
              [&](std::uint32_t node, TokenId token) { return target[node][index(token)]; });
}

}  // namespace kvarium
