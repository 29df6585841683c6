#pragma once
// The geometry of the Blocks tab in one frame, shared by what draws its parts.

#include <optional>
#include <vector>

#include "visualizer/draw/cell.h"
#include "visualizer/layout/block_grid.h"
#include "visualizer/layout/table_rows.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct BlocksView {
  PanelContext& context;
  Painter& painter;
  unsigned canvas = 0;  ///< who gets the mouse
  layout::Rect tables, pool;
  layout::TableRows rows;
  layout::BlockGrid grid;
  Resolved lit;                            ///< what the pointer or the selection is on
  std::vector<BlockId> lit_node_blocks{};  ///< those of the node that is lit, sorted
  std::optional<RequestId> isolated;       ///< a selected request: everything of others is dimmed
  std::optional<CellState> only{};         ///< a state isolated in the legend

  const World& world() const { return context.scene.world(); }
  /// Whether all of the block is pointed at or selected, itself or as one of its node's.
  bool is_lit(std::uint32_t block) const;
  /// How opaque what belongs to `block` is drawn: dimmed when something else is isolated.
  float opacity_of(const layout::BlockPicture& block) const;
  float opacity_of(RequestId request) const;
  /// The text of the token in a slot; empty for a slot that holds none.
  std::string token_in(const layout::BlockPicture& block, std::uint32_t offset) const;
};

/// States that the legend names: those that every run has, and what else some block is in now.
std::vector<CellState> shown_states(const layout::PoolPicture& picture);
/// What the state means, a sentence.
std::string_view meaning_of(CellState state);
/// Whether some slot of the block is in the state.
bool has_state(const layout::BlockPicture& block, std::uint32_t block_size, CellState state);
/// Slots in the state; blocks, where only a whole block can be in it.
std::uint64_t count_state(const layout::PoolPicture& picture, CellState state);

/// The rows that the tables show: requests that have not ended, and all of them while there are few.
std::vector<layout::RowInput> table_inputs(const World& world);

void draw_tables(BlocksView& view);
/// The curves from table entries to blocks; `over`: only what is lit, drawn above the pool.
void draw_links(BlocksView& view, bool over);
void draw_pool_blocks(BlocksView& view);
/// Frames around what the lesson's words point at.
void draw_spotlights(BlocksView& view);
/// Where a target is drawn, in the tables and in the pool; none when it is not.
std::vector<layout::Rect> places_of(const BlocksView& view, const Target& target);

}  // namespace kvarium::ui
