#pragma once
// The Radix tab: what the prefix cache keeps, as a tree that reads from left to right, above the pool that holds it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/trace/prefix_tree.h"
#include "visualizer/draw/pool_texture.h"
#include "visualizer/layout/animation.h"
#include "visualizer/layout/tidy_tree.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

/// A node as it is drawn.
struct ShownNode {
  PrefixNode node;
  layout::TreePlace place;
  layout::Point from;    ///< where it comes from: across and depth, as in `place`
  bool is_new = false;   ///< this step inserted it, or cut it off another
  bool was_cut = false;  ///< this step cut the beginning of it off
  bool gone = false;     ///< this step evicted it: a tombstone
};

/// Pixels of the screen = corner of the area + pan + zoom * (logical pixels of the drawing).
struct TreeView {
  float zoom = 1;
  layout::Point pan;
};

struct RadixPanelState {
  PrefixTreeKind kind = PrefixTreeKind::none;
  std::vector<ShownNode> nodes;     ///< as prefix_tree() lists them, then the tombstones
  std::size_t position = SIZE_MAX;  ///< of the trace, that they are of
  Tween tween;                      ///< from the tree before
  bool user_view = false;           ///< a person zoomed or moved it; else all of it is shown
  TreeView view, view_before;
  std::optional<Target> reveal;  ///< to be brought into the view
  PoolTexture texture;           ///< for pools too large to draw block by block

  void forget() { *this = {}; }
  void fit() { user_view = false; }
  void actual_size();  ///< 100 %, the root at the left
};

/// Where the arrow keys lead from a node.
enum class TreeMove : std::uint8_t { previous, next, parent, child };
/// The target of the node there; of the first node when none is selected; nothing at the ends.
std::optional<Target> neighbour(const RadixPanelState& state, const Target& selected, TreeMove move);
/// What a click on the node selects: a node of the radix tree, or the first block of a chain.
Target target_of(PrefixTreeKind kind, const PrefixNode& node);

void draw_radix_panel(PanelContext& context, RadixPanelState& state, const layout::Rect& dock);

}  // namespace kvarium::ui
