// The upper half of the Blocks tab: what each request sees.

#include <fmt/format.h>

#include "visualizer/panels/blocks_view.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

/// One position of a request, as far as the World tells.
SlotLook look_of_position(const BlocksView& view, const RequestState& request, std::uint32_t position,
                          const layout::BlockPicture& owner) {
  SlotLook look;
  look.block = &owner;
  look.opacity = view.opacity_of(request.id);
  const bool fresh = position >= request.new_first && position - request.new_first < request.new_count;
  const bool holds = position < held_slots(view.world(), request);
  if (position < request.computed_tokens)
    look.state = layout::SlotState::filled;
  else if (holds)
    look.state = layout::SlotState::reserved;
  look.fresh = fresh ? 1.0F : 0.0F;
  look.read = position < request.read_count && look.state == layout::SlotState::filled ? 1.0F : 0.0F;
  look.lit = view.lit.request == request.id && view.lit.position == position;
  return look;
}

void draw_position(BlocksView& view, const layout::TableRow& row, const RequestState& request, std::uint32_t position,
                   const layout::BlockPicture& owner) {
  const Rect cell = row.token_rect(position);
  if (cell.right() > view.tables.right()) return;
  const SlotLook look = look_of_position(view, request, position, owner);
  const bool has_token = position < request.tokens.size();
  const std::string text = has_token ? layout::visible_token(view.world().text_of(request.tokens[position])) : "";
  draw_slot(view.painter, cell, look, text);
  if (look.state == layout::SlotState::filled || !has_token) return;
  // A token that is known but whose K and V are nowhere: not computed yet, or thrown away.
  const Rect inside = cell.inset(view.painter.px(1));
  if (look.state == layout::SlotState::free) {
    view.painter.dashed(inside, with_alpha(view.painter.theme().dim, 0.7F * look.opacity), 2, 2);
  }
  if (cell.width >= view.painter.px(12)) {
    draw_token(view.painter, cell, text, with_alpha(view.painter.theme().text, look.opacity));
  }
}

/// "table[1] = 3", or less where the block is narrow.
void draw_entry(BlocksView& view, const layout::TableRow& row, std::uint32_t logical, BlockId block) {
  const Rect whole = row.block_rect(logical);
  const Rect header{whole.x, whole.y, whole.width, row.header};
  const bool lit = view.lit.block == value(block);
  const float opacity = view.opacity_of(row.request);
  const Colour ink = with_alpha(lit ? view.painter.theme().text : view.painter.theme().dim, opacity);
  const std::string number = std::to_string(value(block)), full = fmt::format("table[{}] = {}", logical, number);
  const bool fits = view.painter.measure(FontRole::mono, full) <= header.width;
  view.painter.text(header, fits ? full : number, ink, FontRole::mono, Align::centre);
}

void draw_chip(BlocksView& view, const layout::TableRow& row, const RequestState& request, std::uint32_t logical) {
  const Rect chip = row.block_rect(logical);
  if (chip.right() > view.tables.right()) return;
  const Rect body{chip.x, chip.y + row.header, chip.width, chip.height - row.header};
  layout::BlockPicture owner;
  owner.owner_count = owner.ref_count = 1;
  owner.owners[0] = value(request.id);
  const std::uint32_t filled = filled_slots(view.world(), request, logical);
  BlockFrame frame;
  frame.id = logical;
  frame.caption = fmt::format("[{}]", logical);
  frame.block = logical < request.table.size() ? &owner : nullptr;
  frame.look.filled = static_cast<float>(filled);
  frame.opacity = view.opacity_of(request.id);
  const std::uint64_t start = std::uint64_t{logical} * row.block_size;
  const bool fresh = request.new_count > 0 && request.new_first < start + row.block_size &&
                     std::uint64_t{request.new_first} + request.new_count > start;
  frame.look.flash = fresh ? 1.0F : 0.0F;
  frame.lit = view.lit.request == request.id && view.lit.logical == logical;
  draw_block_cell(view.painter, body, frame, row.block_size);
}

void draw_row(BlocksView& view, const layout::TableRow& row) {
  const RequestState& request = view.world().request(row.request);
  draw_letter(view.painter, row.label, row.request, view.opacity_of(row.request));
  layout::BlockPicture owner;
  owner.owner_count = owner.ref_count = 1;
  owner.owners[0] = value(request.id);
  if (row.detail == layout::RowDetail::tokens) {
    for (std::uint32_t p = 0; p < row.positions; ++p) draw_position(view, row, request, p, owner);
  } else {
    for (std::uint32_t i = row.first_block; i < row.blocks; ++i) draw_chip(view, row, request, i);
    const Rect folded = row.folded_rect();
    if (!folded.empty()) {
      view.painter.text(folded, fmt::format("+{}", row.first_block), view.painter.theme().dim, FontRole::small,
                        Align::centre);
    }
  }
  for (std::uint32_t i = row.first_block; i < request.table.size(); ++i) {
    if (row.block_rect(i).right() > view.tables.right() + 1) break;
    draw_entry(view, row, i, request.table[i]);
    const std::string id = name_of(Target::table(request.id, i));
    view.context.ui.registry.add_rect(id, "table entry", id, std::to_string(value(request.table[i])), view.canvas,
                                      screen_rect(row.block_rect(i)));
  }
}

}  // namespace

void draw_tables(BlocksView& view) {
  view.painter.clip(view.tables);
  for (const layout::TableRow& row : view.rows.rows) draw_row(view, row);
  view.painter.pop_clip();
}

}  // namespace kvarium::ui
