#include "visualizer/layout/block_grid.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

constexpr std::uint32_t kMostBlocksWithTokens = 32;
constexpr float kHeader = 18;                                 // logical pixels, as all below
constexpr float kGoodTokenWidth = 44, kGoodTokenHeight = 24;  // a token's text is read at ease
constexpr float kSmallestTokenWidth = 9, kSmallestTokenHeight = 9;
constexpr float kLargestTokenHeight = 34, kLargestTokenWidth = 84;

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }
std::uint32_t floor_to_count(float ratio) { return ratio < 1 ? 0 : static_cast<std::uint32_t>(ratio); }

/// How well a token's text can be read in a cell of this size: 1 is good, 0 is nothing.
float readability(float width, float height, float scale) {
  return std::min(width / (kGoodTokenWidth * scale), 1.0F) * std::min(height / (kGoodTokenHeight * scale), 1.0F);
}

/// Tries every number of columns of blocks and of token rows in a block, and keeps the most readable.
bool fit_tokens(BlockGrid& grid, float scale) {
  if (grid.num_blocks > kMostBlocksWithTokens || grid.block_size == 0) return false;
  const float gap = 8 * scale, header = kHeader * scale, padding = 3 * scale;
  float best = 0;
  for (std::uint32_t columns = 1; columns <= grid.num_blocks; ++columns) {
    const std::uint32_t rows = ceil_div(grid.num_blocks, columns);
    if (columns > 1 && ceil_div(grid.num_blocks, columns - 1) == rows)
      continue;  // an emptier last row of the same height
    const float width = grid.area.width / static_cast<float>(columns);
    const float height = grid.area.height / static_cast<float>(rows);
    for (std::uint32_t token_rows = 1; token_rows <= grid.block_size; ++token_rows) {
      const std::uint32_t token_columns = ceil_div(grid.block_size, token_rows);
      const float token_width = (width - gap - 2 * padding) / static_cast<float>(token_columns);
      const float token_height = (height - gap - header - padding) / static_cast<float>(token_rows);
      if (token_height < kSmallestTokenHeight * scale) break;  // more rows only make it worse
      if (token_width < kSmallestTokenWidth * scale) continue;
      // A block in one row is the plainest picture: further rows must pay for themselves.
      const float score = readability(token_width, token_height, scale) * (token_rows == 1 ? 1.15F : 1.0F);
      if (score <= best + 1e-4F) continue;
      best = score;
      grid.columns = columns;
      grid.rows = rows;
      grid.token_columns = token_columns;
      grid.token_rows = token_rows;
    }
  }
  if (best == 0) return false;
  grid.detail = Detail::tokens;
  grid.gap = gap;
  grid.header = header;
  const float most_height = header + padding + gap + kLargestTokenHeight * scale * static_cast<float>(grid.token_rows);
  const float most_width = 2 * padding + gap + kLargestTokenWidth * scale * static_cast<float>(grid.token_columns);
  grid.cell_width = std::floor(std::min(grid.area.width / static_cast<float>(grid.columns), most_width));
  grid.cell_height = std::floor(std::min(grid.area.height / static_cast<float>(grid.rows), most_height));
  return true;
}

/// Cells of width x height logical pixels; false when they do not all fit.
bool fit_cells(BlockGrid& grid, float width, float height, float gap, float scale) {
  const float cell_width = std::round(width * scale), cell_height = std::round(height * scale);
  const std::uint32_t columns = floor_to_count(grid.area.width / cell_width);
  const std::uint32_t rows = floor_to_count(grid.area.height / cell_height);
  if (columns == 0 || std::uint64_t{columns} * rows < grid.num_blocks) return false;
  grid.columns = std::min(columns, grid.num_blocks);
  grid.rows = ceil_div(grid.num_blocks, grid.columns);
  grid.cell_width = cell_width;
  grid.cell_height = cell_height;
  grid.gap = std::round(gap * scale);
  return true;
}

void aggregate(BlockGrid& grid, float scale) {
  grid.detail = Detail::aggregated;
  grid.cell_width = grid.cell_height = std::max(1.0F, std::round(6 * scale));
  grid.gap = std::max(1.0F, std::round(scale));
  grid.columns = std::max(1U, floor_to_count(grid.area.width / grid.cell_width));
  const std::uint32_t rows = std::max(1U, floor_to_count(grid.area.height / grid.cell_height));
  const std::uint64_t cells = std::uint64_t{grid.columns} * rows;
  grid.blocks_per_cell = static_cast<std::uint32_t>((grid.num_blocks + cells - 1) / cells);
  grid.rows = ceil_div(ceil_div(grid.num_blocks, grid.blocks_per_cell), grid.columns);
}

}  // namespace

BlockGrid block_grid(std::uint32_t num_blocks, std::uint32_t block_size, const Rect& area, float scale) {
  BlockGrid grid;
  grid.area = area;
  grid.num_blocks = num_blocks;
  grid.block_size = block_size;
  if (num_blocks == 0 || area.empty()) return grid;
  if (fit_tokens(grid, scale)) return grid;
  grid.detail = Detail::blocks;
  for (const float width : {72.0F, 60.0F, 48.0F, 40.0F, 32.0F, 28.0F, 24.0F, 20.0F}) {
    if (fit_cells(grid, width, width * 28 / 24, 3, scale)) return grid;
  }
  grid.detail = Detail::cells;
  for (const float side : {12.0F, 8.0F, 6.0F, 4.0F, 3.0F, 2.0F}) {
    if (fit_cells(grid, side, side, side > 2 ? 1.0F : 0.0F, scale)) return grid;
  }
  aggregate(grid, scale);
  return grid;
}

Rect BlockGrid::block_rect(std::uint32_t block) const {
  if (block >= num_blocks || columns == 0) return {};
  const std::uint32_t cell = block / blocks_per_cell;
  return {area.x + static_cast<float>(cell % columns) * cell_width,
          area.y + static_cast<float>(cell / columns) * cell_height, cell_width - gap, cell_height - gap};
}

Rect BlockGrid::token_rect(std::uint32_t block, std::uint32_t offset) const {
  if (detail != Detail::tokens || block >= num_blocks || offset >= block_size || columns == 0) return {};
  const Rect whole = block_rect(block);
  const float padding = std::round(header / 6);
  const float width = (whole.width - 2 * padding) / static_cast<float>(token_columns);
  const float height = (whole.height - header - padding) / static_cast<float>(token_rows);
  return {whole.x + padding + static_cast<float>(offset % token_columns) * width,
          whole.y + header + static_cast<float>(offset / token_columns) * height, width, height};
}

std::optional<BlockGrid::Hit> BlockGrid::hit(Point point) const {
  if (columns == 0 || !area.contains(point)) return std::nullopt;
  const auto column = static_cast<std::uint32_t>((point.x - area.x) / cell_width);
  const auto row = static_cast<std::uint32_t>((point.y - area.y) / cell_height);
  if (column >= columns || row >= rows) return std::nullopt;
  const std::uint64_t block = (std::uint64_t{row} * columns + column) * blocks_per_cell;
  if (block >= num_blocks) return std::nullopt;
  Hit hit{static_cast<std::uint32_t>(block), std::nullopt};
  if (!block_rect(hit.block).contains(point)) return std::nullopt;
  for (std::uint32_t offset = 0; detail == Detail::tokens && offset < block_size; ++offset) {
    if (token_rect(hit.block, offset).contains(point)) hit.offset = offset;
  }
  return hit;
}

}  // namespace kvarium::ui::layout
