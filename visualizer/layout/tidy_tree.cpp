#include "visualizer/layout/tidy_tree.h"

#include <algorithm>
#include <utility>

namespace kvarium::ui::layout {
namespace {

/// The first and the last place that a subtree takes at each of its depths, the deepest one first, so that a parent is
/// appended. True places are those here plus `base`.
struct Outline {
  std::vector<float> low, high;
  float base = 0;

  std::size_t depth() const { return low.size(); }
  float low_at(std::size_t level) const { return low[depth() - 1 - level] + base; }
  float high_at(std::size_t level) const { return high[depth() - 1 - level] + base; }
};

/// How far `right` must be moved so that it is at least 1 behind `left` at every depth.
float distance(const Outline& left, const Outline& right) {
  float needed = 0;
  for (std::size_t level = 0; level < std::min(left.depth(), right.depth()); ++level)
    needed = std::max(needed, left.high_at(level) + 1 - right.low_at(level));
  return needed;
}

/// `left` and, moved by `by`, `right`. Only the depths that both have are touched, so all joins together take O(nodes).
Outline join(Outline left, Outline right, float by) {
  right.base += by;
  const std::size_t both = std::min(left.depth(), right.depth());
  if (left.depth() >= right.depth()) {
    for (std::size_t level = 0; level < both; ++level)
      left.high[left.depth() - 1 - level] = right.high_at(level) - left.base;
    return left;
  }
  for (std::size_t level = 0; level < both; ++level)
    right.low[right.depth() - 1 - level] = left.low_at(level) - right.base;
  return right;
}

/// A node's children so far, side by side in the frame of the first one.
struct Row {
  Outline outline;
  float last = 0;  ///< place of the last child
  bool empty = true;
};

}  // namespace

std::vector<TreePlace> tidy_tree(const std::vector<std::uint32_t>& parents) {
  const std::size_t count = parents.size();
  std::vector<std::vector<std::uint32_t>> children(count);
  for (std::uint32_t i = 1; i < count; ++i) children[parents[i]].push_back(i);
  std::vector<Outline> outlines(count);
  std::vector<float> offset(count, 0);     // of a node, from its parent
  for (std::size_t i = count; i-- > 0;) {  // children before their parents
    Row row;
    for (const std::uint32_t child : children[i]) {
      const float by = row.empty ? 0 : distance(row.outline, outlines[child]);
      row.outline =
          row.empty ? std::move(outlines[child]) : join(std::move(row.outline), std::move(outlines[child]), by);
      row.empty = false;
      row.last = offset[child] = by;
    }
    for (const std::uint32_t child : children[i]) offset[child] -= row.last / 2;
    row.outline.base -= row.last / 2;
    row.outline.low.push_back(-row.outline.base);
    row.outline.high.push_back(-row.outline.base);
    outlines[i] = std::move(row.outline);
  }
  std::vector<TreePlace> places(count);
  if (count == 0) return places;
  for (std::size_t level = 0; level < outlines[0].depth(); ++level)
    places[0].across = std::max(places[0].across, -outlines[0].low_at(level));
  for (std::size_t i = 1; i < count; ++i)
    places[i] = {places[parents[i]].across + offset[i], places[parents[i]].depth + 1};
  return places;
}

}  // namespace kvarium::ui::layout
