#pragma once
// The block tables: one row a request, its tokens in order, cut into logical blocks. A long row wraps into lines.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// tokens: a cell for each position; blocks: a cell for each logical block. All rows have the same, so that columns
/// line up.
enum class RowDetail { tokens, blocks };

/// What a row must have room for.
struct RowInput {
  RequestId request{};
  std::uint32_t positions = 0;  ///< tokens, or slots when more are reserved
  std::uint32_t blocks = 0;     ///< entries of its table
  std::uint32_t longest = 0;    ///< positions that it may grow to: so long is the room kept, and nothing moves later
};

struct TableRow {
  RequestId request{};
  Rect rect;   ///< the whole row
  Rect label;  ///< its letter, at the left
  Rect strip;  ///< its cells
  RowDetail detail = RowDetail::tokens;
  std::uint32_t block_size = 0;  ///< 0: the positions are in no block
  std::uint32_t positions = 0, blocks = 0;
  std::uint32_t first_block = 0;   ///< earlier ones are folded into one chip, because the row is too short
  std::uint32_t units_a_line = 1;  ///< blocks (positions, without blocks) before the row wraps
  float cell_width = 0;            ///< of a position, or of a block chip with its gap
  float line_height = 0;           ///< of a line, the space below it included
  float gap = 0;                   ///< between blocks
  float header = 0;                ///< height of the line with the table's entries

  /// Header and cells of logical block i; empty when it is folded away.
  Rect block_rect(std::uint32_t i) const;
  /// The cell of one position; empty when detail is blocks.
  Rect token_rect(std::uint32_t position) const;
  /// The chip that stands for blocks [0, first_block); empty when there are none.
  Rect folded_rect() const;
};

struct TableRows {
  std::vector<TableRow> rows;  ///< the visible ones only
  float content_height = 0;    ///< of all rows
};

/// Height of all rows in the most detail that needs no more than `most_height` pixels, or in the least detail.
float rows_height(const std::vector<RowInput>& inputs, std::uint32_t block_size, float width, float most_height,
                  float scale);

/// Rows of `inputs` as seen through `area`, scrolled down by `scroll` pixels. Only rows that are visible are built.
/// Their detail is the most that fits without scrolling.
TableRows table_rows(const std::vector<RowInput>& inputs, std::uint32_t block_size, const Rect& area, float scroll,
                     float scale);

struct RowHit {
  RequestId request{};
  std::optional<std::uint32_t> block;  ///< logical
  std::optional<std::uint32_t> position;
};
std::optional<RowHit> hit(const TableRows& rows, Point point);

}  // namespace kvarium::ui::layout
