#pragma once
// The pool map: where each physical block is drawn, in as much detail as fits.

#include <cstdint>
#include <optional>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// tokens: a cell for each slot, with its text; blocks: a cell a block with a fill bar and its number; cells: a small
/// square a block; aggregated: a square stands for several blocks.
enum class Detail { tokens, blocks, cells, aggregated };

struct BlockGrid {
  Rect area;
  Detail detail = Detail::tokens;
  std::uint32_t num_blocks = 0, block_size = 0;
  std::uint32_t columns = 0, rows = 0;    ///< of cells
  float cell_width = 0, cell_height = 0;  ///< pitch, the gap included
  float gap = 0;
  std::uint32_t blocks_per_cell = 1;                ///< above 1 only when aggregated
  std::uint32_t token_columns = 0, token_rows = 0;  ///< inside a block, when detail is tokens
  float header = 0;  ///< height of the line with the block's number, when detail is tokens

  /// The cell that shows block `block` (several blocks share one when aggregated).
  Rect block_rect(std::uint32_t block) const;
  /// The cell of one slot; empty unless detail is tokens.
  Rect token_rect(std::uint32_t block, std::uint32_t offset) const;

  struct Hit {
    std::uint32_t block = 0;              ///< the first one of an aggregated cell
    std::optional<std::uint32_t> offset;  ///< the slot in the block, when the point is on one
    bool operator==(const Hit&) const = default;
  };
  /// What lies under a point; nothing in the gaps and outside.
  std::optional<Hit> hit(Point point) const;
  /// Height that the cells use, at most the area's.
  float used_height() const { return static_cast<float>(rows) * cell_height; }
};

/// `scale`: real pixels a logical pixel. The most detailed of the four levels that fits into `area`: all blocks are
/// always visible at once.
BlockGrid block_grid(std::uint32_t num_blocks, std::uint32_t block_size, const Rect& area, float scale);

}  // namespace kvarium::ui::layout
