#pragma once
// One frame of the Radix tab, shared by what draws its parts.

#include <string>
#include <vector>

#include "visualizer/draw/cell.h"
#include "visualizer/layout/block_grid.h"
#include "visualizer/panels/radix_panel.h"

namespace kvarium::ui {

constexpr float kPillWidth = 136, kPillHeight = 46, kRootWidth = 52;  // logical pixels at 100 %
constexpr float kLevelDistance = kPillWidth + 40, kRowDistance = kPillHeight + 12;
/// Where a depth begins: the root is narrower than all others.
inline float left_of(float depth) {
  return depth < 1 ? depth * (kRootWidth + kLevelDistance - kPillWidth)
                   : kRootWidth + kLevelDistance - kPillWidth + (depth - 1) * kLevelDistance;
}

struct RadixView {
  PanelContext& context;
  Painter& painter;
  const RadixPanelState& state;
  unsigned canvas = 0;      ///< who gets the mouse
  layout::Rect tree, pool;  ///< areas
  layout::BlockGrid grid;   ///< of the pool
  TreeView view;
  float time = 1;               ///< of the change, 0 to 1
  std::vector<bool> lit;        ///< [blocks]: meant by what is pointed at or selected
  std::vector<NodeId> node_of;  ///< [blocks]: the node of the radix tree that holds it; the root: none

  const World& world() const { return context.scene.world(); }
  /// Where node i is drawn now, pixels.
  layout::Rect rect_of(std::size_t i) const;
  bool is_lit(const ShownNode& node) const;
};

/// The first tokens of a node as they are read, and whether there are more.
std::string preview_text(const World& world, const PrefixNode& node);
/// The letters of the requests in whose tables the node's first block is.
std::string holders(const RadixView& view, const PrefixNode& node);

/// Edges, then nodes. Returns how many nodes lie outside the view.
std::size_t draw_tree(RadixView& view);
/// The pool below, and lines from the lit node to its blocks.
void draw_strip(RadixView& view, PoolTexture& texture);

}  // namespace kvarium::ui
