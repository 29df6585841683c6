#include "visualizer/layout/table_rows.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

// Logical pixels.
constexpr float kLabel = 34, kHeader = 17, kCell = 26, kLineGap = 5, kSpace = 8, kBlockGap = 5;
constexpr float kLargestToken = 46;
constexpr float kSmallestChip = 26, kLargestChip = 58;

std::uint32_t blocks_of(const RowInput& input, std::uint32_t block_size) {
  const std::uint32_t needed = block_size == 0 ? 0 : (input.positions + block_size - 1) / block_size;
  return std::max(input.blocks, needed);
}

/// What all rows have in common, and how many lines the longest has.
struct Style {
  TableRow row;
  std::uint32_t lines = 1;
  float row_height(float scale) const { return static_cast<float>(lines) * row.line_height + kSpace * scale; }
};

/// Cells of at least `smallest` logical pixels a token; the row wraps after whole blocks.
Style token_style(std::uint32_t longest, std::uint32_t block_size, float strip, float smallest, float scale) {
  Style style;
  TableRow& row = style.row;
  row.block_size = block_size;
  row.header = block_size == 0 ? 0 : kHeader * scale;
  row.gap = block_size == 0 ? 0 : kBlockGap * scale;
  row.line_height = row.header + (kCell + kLineGap) * scale;
  const float tokens = block_size == 0 ? 1 : static_cast<float>(block_size);
  const float unit = tokens * smallest * scale + row.gap;
  const std::uint32_t units = block_size == 0 ? longest : (longest + block_size - 1) / block_size;
  const auto fits = static_cast<std::uint32_t>(std::max(1.0F, strip / unit));
  row.units_a_line = std::min(fits, std::max(1U, units));
  const float width = strip / static_cast<float>(row.units_a_line) - row.gap;
  row.cell_width = std::floor(std::clamp(width / tokens, 2.0F, kLargestToken * scale));
  style.lines = std::max(1U, (units + row.units_a_line - 1) / row.units_a_line);
  return style;
}

Style chip_style(std::uint32_t blocks, std::uint32_t block_size, float strip, float scale) {
  Style style;
  TableRow& row = style.row;
  row.detail = RowDetail::blocks;
  row.block_size = block_size;
  row.header = kHeader * scale;
  row.gap = 3 * scale;
  row.line_height = row.header + (kCell + kLineGap) * scale;
  row.cell_width =
      std::floor(std::clamp(strip / static_cast<float>(blocks), kSmallestChip * scale, kLargestChip * scale));
  return style;
}

/// The most detail that needs no more than `most_height`.
Style choose_style(const std::vector<RowInput>& inputs, std::uint32_t block_size, float width, float most_height,
                   float scale) {
  std::uint32_t longest = 1, blocks = 1;
  for (const RowInput& input : inputs) {
    blocks = std::max(blocks, blocks_of(input, block_size));
    longest = std::max({longest, input.positions, input.longest, input.blocks * block_size});
  }
  const float strip = std::max(1.0F, width - kLabel * scale);
  for (const float smallest : {32.0F, 28.0F, 24.0F, 20.0F, 15.0F}) {
    const Style style = token_style(longest, block_size, strip, smallest, scale);
    const bool wide_enough = style.row.cell_width >= 15 * scale;
    if (wide_enough && style.row_height(scale) * static_cast<float>(inputs.size()) <= most_height) return style;
  }
  if (block_size == 0) return token_style(longest, block_size, strip, 15, scale);
  return chip_style(blocks, block_size, strip, scale);
}

/// Folds the first blocks away when the row is too short for all; the newest ones stay.
void fold(TableRow& row) {
  if (row.detail != RowDetail::blocks) return;
  const auto fits = static_cast<std::uint32_t>(std::max(2.0F, row.strip.width / row.cell_width));
  row.first_block = row.blocks > fits ? row.blocks - (fits - 1) : 0;
}

}  // namespace

float rows_height(const std::vector<RowInput>& inputs, std::uint32_t block_size, float width, float most_height,
                  float scale) {
  const Style style = choose_style(inputs, block_size, width, most_height, scale);
  return style.row_height(scale) * static_cast<float>(inputs.size());
}

TableRows table_rows(const std::vector<RowInput>& inputs, std::uint32_t block_size, const Rect& area, float scroll,
                     float scale) {
  TableRows result;
  if (inputs.empty() || area.empty()) return result;
  const Style style = choose_style(inputs, block_size, area.width, area.height, scale);
  const float height = style.row_height(scale);
  result.content_height = height * static_cast<float>(inputs.size());
  const auto first = static_cast<std::size_t>(std::max(0.0F, std::floor(scroll / height)));
  for (std::size_t i = first; i < inputs.size(); ++i) {
    const float top = area.y - scroll + static_cast<float>(i) * height;
    if (top >= area.bottom()) break;
    TableRow row = style.row;
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
  const float line = static_cast<float>(i / units_a_line), place = static_cast<float>(i % units_a_line);
  const float cells = line_height - header;  // a token row and the space below it
  return {strip.x + place * pitch, strip.y + line * line_height, pitch - gap,
          header + cells * kCell / (kCell + kLineGap)};
}

Rect TableRow::token_rect(std::uint32_t position) const {
  if (detail != RowDetail::tokens) return {};
  if (block_size == 0) {
    const float line = static_cast<float>(position / units_a_line), place = static_cast<float>(position % units_a_line);
    return {strip.x + place * cell_width, strip.y + line * line_height, cell_width,
            line_height * kCell / (kCell + kLineGap)};
  }
  const std::uint32_t block = position / block_size;
  if (block >= blocks) return {};
  const Rect whole = block_rect(block);
  return {whole.x + static_cast<float>(position % block_size) * cell_width, whole.y + header, cell_width,
          whole.height - header};
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
