#include "core/speculation/tree.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"

namespace kvarium {
namespace {

using Choice = std::vector<std::uint32_t>;

std::vector<std::uint32_t> path_to(const CandidateTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> path{node};
  while (path.back() != 0) path.push_back(tree.parents[path.back()]);
  std::reverse(path.begin(), path.end());
  return path;
}

/// Leaves in the order of their choices, so that a walk down always taking the best rank left meets them in turn.
std::vector<std::vector<std::uint32_t>> paths_of(const CandidateTree& tree,
                                                 const std::map<Choice, std::uint32_t>& nodes) {
  std::vector<bool> has_child(tree.size(), false);
  for (std::uint32_t node = 1; node < tree.size(); ++node) has_child[tree.parents[node]] = true;
  std::vector<std::vector<std::uint32_t>> paths;
  for (const auto& [choice, node] : nodes) {
    if (!has_child[node]) paths.push_back(path_to(tree, node));
  }
  return paths;
}

}  // namespace

bool CandidateTree::attends(std::uint32_t node, std::uint32_t other) const {
  while (node > other) node = parents[node];
  return node == other;
}

CandidateTree make_tree(std::vector<Choice> choices) {
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  CandidateTree tree{{0}, {0}, {0}, {}};
  std::map<Choice, std::uint32_t> nodes{{{}, 0}};
  for (const Choice& choice : choices) {
    const auto node = static_cast<std::uint32_t>(tree.size());
    if (!nodes.emplace(choice, node).second)
      throw InputError("a tree of candidates has a choice twice, or an empty one");
    const auto parent = nodes.find(Choice(choice.begin(), choice.end() - 1));
    if (parent == nodes.end()) throw InputError("a tree of candidates has a choice whose parent is missing");
    tree.parents.push_back(parent->second);
    tree.depths.push_back(static_cast<std::uint32_t>(choice.size()));
    tree.ranks.push_back(choice.back());
  }
  tree.paths = paths_of(tree, nodes);
  return tree;
}

std::vector<std::vector<TokenId>> along_paths(const CandidateTree& tree, std::span<const TokenId> of_nodes) {
  if (of_nodes.size() != tree.size()) throw MisuseError("a tree of candidates needs one token for each node");
  std::vector<std::vector<TokenId>> rows;
  for (const std::vector<std::uint32_t>& path : tree.paths) {
    std::vector<TokenId>& row = rows.emplace_back(tree.max_depth() + 1, kNoToken);
    for (std::size_t i = 0; i < path.size(); ++i) row[i] = of_nodes[path[i]];
  }
  return rows;
}

PathVerdict verify_paths(std::span<const std::vector<TokenId>> tokens, std::span<const std::vector<TokenId>> target) {
  if (tokens.empty() || tokens.size() != target.size()) throw MisuseError("no paths to verify, or not as many answers");
  std::optional<PathVerdict> best;
  for (std::size_t path = 0; path < tokens.size(); ++path) {
    if (tokens[path].empty() || tokens[path].size() != target[path].size()) {
      throw MisuseError("a path needs as many answers as it has places");
    }
    std::uint32_t accepted = 0;
    while (accepted + 1 < tokens[path].size() && tokens[path][accepted + 1] == target[path][accepted]) ++accepted;
    if (!best || accepted > best->accepted) best = {path, accepted, target[path][accepted]};
  }
  return *best;
}

}  // namespace kvarium
