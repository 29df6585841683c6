#include "visualizer/layout/table_rows.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

// Logical pixels.
constexpr float kLabel = 34, kHeader = 17, kCell = 26, kSpace = 10, kBlockGap = 5;
constexpr float kSmallestToken = 15, kLargestToken = 46;
constexpr float kSmallestChip = 26, kLargestChip = 58;

std::uint32_t blocks_of(const RowInput& input, std::uint32_t block_size) {
  const std::uint32_t needed = block_size == 0 ? 0 : (input.positions + block_size - 1) / block_size;
  return std::max(input.blocks, needed);
}

/// Decides the detail and the cell width that the longest row needs; all rows share them.
TableRow common_row(const std::vector<RowInput>& inputs, std::uint32_t block_size, float strip, float scale) {
  std::uint32_t positions = 1, blocks = 1;
  for (const RowInput& input : inputs) {
    blocks = std::max(blocks, blocks_of(input, block_size));
    positions = std::max({positions, input.positions, input.blocks * block_size});
  }
  TableRow row;
  row.block_size = block_size;
  row.gap = block_size == 0 ? 0 : kBlockGap * scale;
  const float width = (strip - row.gap * static_cast<float>(blocks)) / static_cast<float>(positions);
  row.header = kHeader * scale;
  if (block_size == 0 || width >= kSmallestToken * scale) {
    row.cell_width = std::floor(std::clamp(width, 2.0F, kLargestToken * scale));
    return row;
  }
  row.detail = RowDetail::blocks;
  row.gap = 3 * scale;
  row.cell_width =
      std::floor(std::clamp(strip / static_cast<float>(blocks), kSmallestChip * scale, kLargestChip * scale));
  return row;
}

/// Folds the first blocks away when the row is too short for all; the newest ones stay.
void fold(TableRow& row) {
  if (row.detail != RowDetail::blocks) return;
  const auto fits = static_cast<std::uint32_t>(std::max(2.0F, row.strip.width / row.cell_width));
  row.first_block = row.blocks > fits ? row.blocks - (fits - 1) : 0;
}

}  // namespace

TableRows table_rows(const std::vector<RowInput>& inputs, std::uint32_t block_size, const Rect& area, float scroll,
                     float scale) {
  TableRows result;
  const float height = std::round((kHeader + kCell + kSpace) * scale);
  result.content_height = height * static_cast<float>(inputs.size());
  if (inputs.empty() || area.empty()) return result;
  const TableRow common = common_row(inputs, block_size, area.width - kLabel * scale, scale);
  const auto first = static_cast<std::size_t>(std::max(0.0F, std::floor(scroll / height)));
  for (std::size_t i = first; i < inputs.size(); ++i) {
    const float top = area.y - scroll + static_cast<float>(i) * height;
    if (top >= area.bottom()) break;
    TableRow row = common;
    row.request = inputs[i].request;
    row.positions = inputs[i].positions;
    row.blocks = blocks_of(inputs[i], block_size);
    row.rect = {area.x, top, area.width, height - kSpace * scale};
    row.label = {area.x, top + row.header, (kLabel - 8) * scale, kCell * scale};
    row.strip = {area.x + kLabel * scale, top, area.width - kLabel * scale, row.rect.height};
    fold(row);
    result.rows.push_back(row);
  }
  return result;
}

Rect TableRow::block_rect(std::uint32_t i) const {
  if (i < first_block || i >= blocks) return {};
  if (detail == RowDetail::blocks) {
    const float place = static_cast<float>(i - first_block + (first_block > 0 ? 1 : 0));
    return {strip.x + place * cell_width, strip.y, cell_width - gap, strip.height};
  }
  const float pitch = cell_width * static_cast<float>(block_size) + gap;
  return {strip.x + static_cast<float>(i) * pitch, strip.y, pitch - gap, strip.height};
}

Rect TableRow::token_rect(std::uint32_t position) const {
  if (detail != RowDetail::tokens) return {};
  const float gaps = block_size == 0 ? 0 : gap * static_cast<float>(position / block_size);
  return {strip.x + static_cast<float>(position) * cell_width + gaps, strip.y + header, cell_width,
          strip.height - header};
}

Rect TableRow::folded_rect() const {
  return first_block == 0 ? Rect{} : Rect{strip.x, strip.y, cell_width - gap, strip.height};
}

std::optional<RowHit> hit(const TableRows& rows, Point point) {
  for (const TableRow& row : rows.rows) {
    if (!row.rect.contains(point)) continue;
    RowHit found{row.request, std::nullopt, std::nullopt};
    for (std::uint32_t i = row.first_block; i < row.blocks; ++i) {
      if (row.block_rect(i).contains(point)) found.block = i;
    }
    for (std::uint32_t p = 0; row.detail == RowDetail::tokens && p < row.positions; ++p) {
      if (row.token_rect(p).contains(point)) found.position = p;
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace kvarium::ui::layout
