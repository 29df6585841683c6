#include "core/speculation/tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"

namespace kvarium {
namespace {

using Choice = std::vector<std::uint32_t>;

/// A choice at the edge of a growing tree.
struct Growth {
  double likely = 0;  ///< that its whole path is right
  double parent_likely = 0;
  Choice choice;
};

struct Likelier {
  bool operator()(const Growth& a, const Growth& b) const {
    return a.likely != b.likely ? a.likely > b.likely : a.choice < b.choice;
  }
};

std::vector<std::uint32_t> path_to(const CandidateTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> path{node};
  while (path.back() != 0) path.push_back(tree.parents[path.back()]);
  std::reverse(path.begin(), path.end());
  return path;
}

/// Of siblings the one with the better rank has the smaller number, so that paths in the order of their numbers are
/// those that a walk down meets, always taking the best rank left.
std::vector<std::vector<std::uint32_t>> paths_of(const CandidateTree& tree,
                                                 const std::vector<std::uint32_t>& children) {
  std::vector<std::vector<std::uint32_t>> paths;
  for (std::uint32_t node = 0; node < tree.size(); ++node) {
    if (children[node] == 0) paths.push_back(path_to(tree, node));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

bool CandidateTree::attends(std::uint32_t node, std::uint32_t other) const {
  while (node > other) node = parents[node];
  return node == other;
}

bool is_tree(std::span<const std::uint32_t> parents) {
  if (parents.empty() || parents[0] != 0) return false;
  for (std::size_t node = 1; node < parents.size(); ++node) {
    if (parents[node] >= node || parents[node] < parents[node - 1]) return false;
  }
  return true;
}

void expect_tree(std::span<const std::uint32_t> parents) {
  if (!is_tree(parents)) throw MisuseError("these parents are no tree of candidates whose nodes are numbered by depth");
}

bool siblings_differ(std::span<const std::uint32_t> parents, std::span<const TokenId> candidates) {
  for (std::size_t node = 2; node < parents.size(); ++node) {
    for (std::size_t other = node - 1; other > 0 && parents[other] == parents[node]; --other) {  // side by side
      if (candidates[other - 1] == candidates[node - 1]) return false;
    }
  }
  return true;
}

std::uint32_t depth_of(std::span<const std::uint32_t> parents, std::uint32_t node) {
  std::uint32_t depth = 0;
  for (; node > 0; node = parents[node]) ++depth;
  return depth;
}

CandidateTree tree_of(std::vector<std::uint32_t> parents) {
  expect_tree(parents);
  CandidateTree tree{std::move(parents), {0}, {0}, {}};
  std::vector<std::uint32_t> children(tree.size(), 0);  // so far
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    const std::uint32_t parent = tree.parents[node];
    tree.depths.push_back(tree.depths[parent] + 1);
    tree.ranks.push_back(children[parent]++);
  }
  tree.paths = paths_of(tree, children);
  return tree;
}

CandidateTree make_tree(std::vector<Choice> choices) {
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  std::vector<std::uint32_t> parents{0};
  std::map<Choice, std::uint32_t> nodes{{{}, 0}};
  for (const Choice& choice : choices) {
    const auto node = static_cast<std::uint32_t>(parents.size());
    if (!nodes.emplace(choice, node).second)
      throw InputError("a tree of candidates has a choice twice, or an empty one");
    const auto parent = nodes.find(Choice(choice.begin(), choice.end() - 1));
    if (parent == nodes.end()) throw InputError("a tree of candidates has a choice whose parent is missing");
    parents.push_back(parent->second);
  }
  CandidateTree tree = tree_of(std::move(parents));
  for (std::size_t i = 0; i < choices.size(); ++i) tree.ranks[i + 1] = choices[i].back();
  return tree;
}

CandidateTree grow_tree(const std::vector<std::vector<double>>& right, std::size_t nodes) {
  for (const std::vector<double>& ranks : right) {
    const bool in_range = std::all_of(ranks.begin(), ranks.end(), [](double p) { return p >= 0 && p <= 1; });
    if (in_range && std::is_sorted(ranks.rbegin(), ranks.rend())) continue;
    throw MisuseError("how often guesses are right must descend within [0, 1]");
  }
  std::vector<Choice> grown;
  std::set<Growth, Likelier> edge;  // what may be added next: all above it is in the tree
  const auto offer = [&](Choice choice, double likely) {
    const std::size_t depth = choice.size();
    if (depth > right.size() || choice.back() >= right[depth - 1].size()) return;
    const double p = likely * right[depth - 1][choice.back()];
    edge.insert({p, likely, std::move(choice)});
  };
  offer({0}, 1);
  while (grown.size() < nodes && !edge.empty()) {
    Growth next = std::move(edge.extract(edge.begin()).value());
    grown.push_back(next.choice);
    next.choice.push_back(0);
    offer(next.choice, next.likely);
    next.choice.pop_back();
    ++next.choice.back();
    offer(std::move(next.choice), next.parent_likely);
  }
  return make_tree(std::move(grown));
}

bool lies_in_front(std::span<const std::uint32_t> path) {
  return path.empty() || path.back() == path.size();  // a path's numbers ascend
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
