#pragma once
// Where the nodes of a tree are drawn: parents centred over their children, children in order, subtrees as close as
// they go without touching. After Reingold and Tilford 1981, "Tidier drawings of trees": whole outlines of subtrees are
// moved against each other.

#include <cstdint>
#include <vector>

namespace kvarium::ui::layout {

struct TreePlace {
  float across = 0;         ///< in distances between neighbours; 0 is the edge of the drawing
  std::uint32_t depth = 0;  ///< edges up to the root
};

/// `parents[i]` < i is the parent of node i; node 0 is the root, its own entry means nothing. Siblings keep the order
/// of their numbers. Two nodes of the same depth are at least 1 apart. O(nodes), without recursion.
std::vector<TreePlace> tidy_tree(const std::vector<std::uint32_t>& parents);

}  // namespace kvarium::ui::layout
