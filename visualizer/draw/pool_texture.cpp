#include "visualizer/draw/pool_texture.h"

#include <algorithm>
#include <limits>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

constexpr float kFaint = 0.25F;

bool same_cells(const layout::BlockGrid& a, const layout::BlockGrid& b) {
  return a.num_blocks == b.num_blocks && a.columns == b.columns && a.cell_width == b.cell_width &&
         a.cell_height == b.cell_height && a.blocks_per_cell == b.blocks_per_cell && a.block_size == b.block_size;
}

}  // namespace

/// The fuller a block is, the nearer its colour is to its owner's: from 35 % (nothing written) to 100 %.
PoolTexture::Cell PoolTexture::cell_of(const layout::BlockGrid& grid, const layout::PoolPicture& pool,
                                       const std::vector<bool>& dimmed, const Theme& theme, std::uint32_t cell) const {
  const std::uint32_t first = cell * grid.blocks_per_cell;
  const std::uint32_t end = std::min(grid.num_blocks, first + grid.blocks_per_cell);
  std::uint32_t used = 0, filled = 0, shown = first;
  bool fresh = false, bright = dimmed.empty();
  for (std::uint32_t i = first; i < end; ++i) {
    const layout::BlockPicture& block = pool.blocks[i];
    if (block.holds() && used++ == 0) shown = i;
    filled += block.filled;
    fresh = fresh || block.new_count > 0;
    bright = bright || !dimmed[i];
  }
  if (used == 0) return {bright ? theme.raised : mix(theme.panel, theme.raised, kFaint), 0, false, true};
  const layout::BlockPicture& block = pool.blocks[shown];
  const float slots = static_cast<float>(used) * static_cast<float>(std::max(1U, pool.block_size));
  const float share = static_cast<float>(used) / static_cast<float>(end - first);
  const float strength = (0.35F + 0.65F * static_cast<float>(filled) / slots) * (0.4F + 0.6F * share);
  const auto shade = [&](std::uint32_t owner) {
    const Colour hue = block.owner_count == 0 ? theme.cached : theme.owner(owner).fill;
    return mix(theme.panel, hue, bright ? strength : strength * kFaint);
  };
  const Colour stroke = block.owner_count == 0 && bright ? mix(shade(0), readable_on(theme.cached), 0.45F) : 0;
  const Colour second = block.owner_count > 1 ? shade(block.owners[1]) : 0;
  return {shade(block.owners[0]), second, fresh && bright, false, stroke};
}

void PoolTexture::start_over(const layout::BlockGrid& grid, const Theme& theme, std::uint32_t cells) {
  const int width = static_cast<int>(static_cast<float>(grid.columns) * grid.cell_width);
  const int height = static_cast<int>(static_cast<float>(grid.rows) * grid.cell_height);
  image_ = Image(std::max(1, width), std::max(1, height), theme.panel);
  cells_.assign(cells, Cell{});
  grid_ = grid;
}

void PoolTexture::paint(const layout::BlockGrid& grid, std::uint32_t index, const Cell& cell, const Theme& theme) {
  const int x = static_cast<int>(static_cast<float>(index % grid.columns) * grid.cell_width);
  const int y = static_cast<int>(static_cast<float>(index / grid.columns) * grid.cell_height);
  const int width = static_cast<int>(grid.cell_width - grid.gap),
            height = static_cast<int>(grid.cell_height - grid.gap);
  image_.fill(x, y, width, height, cell.fill);
  if (cell.second != 0) image_.fill(x + width / 2, y, width - width / 2, height, cell.second);
  for (int i = 0; cell.stroke != 0 && width >= 3 && i < std::min(width, height); ++i)  // rising to the right
    image_.fill(x + i, y + height - 1 - i, 1, 1, cell.stroke);
  if (cell.fresh && width >= 3)
    image_.fill(x + width / 3, y + height / 3, std::max(1, width / 3), std::max(1, height / 3), theme.text);
}

void PoolTexture::update(TextureBackend& backend, const layout::BlockGrid& grid, const layout::PoolPicture& pool,
                         const std::vector<bool>& dimmed, const Theme& theme, int version) {
  if (!texture_) texture_ = std::make_unique<Texture>(backend, Filter::nearest);
  const std::uint32_t cells = (grid.num_blocks + grid.blocks_per_cell - 1) / grid.blocks_per_cell;
  const bool all = version != version_ || !same_cells(grid, grid_) || cells_.size() != cells;
  if (all) start_over(grid, theme, cells);
  version_ = version;
  painted_ = 0;
  std::uint32_t first_row = std::numeric_limits<std::uint32_t>::max(), last_row = 0;
  for (std::uint32_t i = 0; i < cells; ++i) {
    const Cell cell = cell_of(grid, pool, dimmed, theme, i);
    if (!all && cell == cells_[i]) continue;
    cells_[i] = cell;
    paint(grid, i, cell, theme);
    ++painted_;
    first_row = std::min(first_row, i / grid.columns);
    last_row = std::max(last_row, i / grid.columns);
  }
  if (painted_ == 0) return;
  if (all) return texture_->set(image_);
  const int height = static_cast<int>(grid.cell_height);
  texture_->set_rows(image_, static_cast<int>(first_row) * height, static_cast<int>(last_row - first_row + 1) * height);
}

void PoolTexture::draw(ImDrawList& list, const layout::BlockGrid& grid) const {
  if (!texture_) return;
  texture_->draw(list, {grid.area.x, grid.area.y},
                 {grid.area.x + static_cast<float>(image_.width), grid.area.y + static_cast<float>(image_.height)});
}

}  // namespace kvarium::ui
