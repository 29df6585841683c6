#pragma once
// How a slot and a block look: fill hue for the owner; border, pattern and glyph for the state (theme.h, CellState).

#include <string_view>

#include "visualizer/draw/painter.h"
#include "visualizer/layout/animation.h"
#include "visualizer/layout/block_grid.h"
#include "visualizer/layout/picture.h"

namespace kvarium::ui {

/// The state of a slot as the legend names it; a slot may be in several at once: filled, new and read.
struct SlotLook {
  layout::SlotState state = layout::SlotState::free;
  const layout::BlockPicture* block = nullptr;  ///< for its owners; nullptr: nobody's
  float opacity = 1;                            ///< below 1 while it changes, or while something else is isolated
  float fresh = 0;                              ///< 0 to 1: written in this step
  float read = 0;                               ///< 0 to 1: read in this step
  bool lit = false;                             ///< the pointer or the selection is on the same token
};

/// One slot with the text of its token (empty: none).
void draw_slot(Painter& painter, const layout::Rect& rect, const SlotLook& look, std::string_view text);

/// A token's text in the middle of a cell, cut where it does not fit.
void draw_token(Painter& painter, const layout::Rect& rect, std::string_view text, Colour colour);

/// The frame and the header of a block whose slots are drawn one by one.
struct BlockFrame {
  std::uint32_t id = 0;
  std::string caption{};  ///< in a block cell; empty: its owners' letters
  std::string note{};     ///< below that, where there is room
  const layout::BlockPicture* block = nullptr;
  BlockLook look;
  float header = 0;  ///< pixels
  float opacity = 1;
  bool lit = false;
  bool selected = false;
  bool evicted = false;  ///< what was in it was forgotten in this step
  float drained = 1;     ///< how far it is, 0 to 1
};
/// `evicted` is left to draw_evicted(), after the slots.
void draw_block_frame(Painter& painter, const layout::Rect& rect, const BlockFrame& frame);

/// A block as one cell with a fill level, its number and its owner's letter.
void draw_block_cell(Painter& painter, const layout::Rect& rect, const BlockFrame& frame, std::uint32_t block_size);

/// Thick border: what was cached in the block was forgotten in this step; `drained`: how much of it is gone, 0 to 1.
void draw_evicted(Painter& painter, const layout::Rect& rect, float drained, float opacity);

/// Dashes around a block that is copied from or to; `phase` in [0, 1] moves them on by one dash.
void draw_ants(Painter& painter, const layout::Rect& rect, float phase);

/// A letter in its owner's colour: how a request is named in every picture.
void draw_letter(Painter& painter, const layout::Rect& rect, RequestId request, float opacity = 1);

/// The vertical stripes of a block's owners; one owner: one stripe.
void fill_owners(Painter& painter, const layout::Rect& rect, const layout::BlockPicture& block, float opacity);

/// A small sample of a state, for the legend.
void draw_sample(Painter& painter, const layout::Rect& rect, CellState state);

}  // namespace kvarium::ui
