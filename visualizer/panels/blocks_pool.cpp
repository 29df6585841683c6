// The lower half of the Blocks tab, for pools small enough to draw each block: where K and V really lie.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/panels/blocks_view.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

/// A block on its way from one picture to the next.
struct MovingBlock {
  const layout::BlockPicture* block;  ///< whose owners are shown
  BlockLook look;
};

MovingBlock moving_block(const BlocksView& view, std::uint32_t id) {
  const Scene& scene = view.context.scene;
  const layout::BlockPicture& now = scene.picture.blocks[id];
  const bool known = id < scene.before.blocks.size() && scene.before.block_size == scene.picture.block_size;
  if (!known || scene.change >= 1) return {&now, look_of(now)};
  const layout::BlockPicture& before = scene.before.blocks[id];
  return {now.holds() ? &now : &before, mix(look_of(before), look_of(now), scene.change)};
}

SlotLook look_of_slot(const BlocksView& view, const MovingBlock& moving, std::uint32_t id, std::uint32_t offset) {
  SlotLook look;
  const layout::BlockPicture& block = *moving.block;
  look.block = &block;
  look.state = slot_state(block, offset);
  const float filled = std::clamp(moving.look.filled - static_cast<float>(offset), 0.0F, 1.0F);
  if (look.state == layout::SlotState::reserved && filled > 0) look.state = layout::SlotState::filled;
  const float shown = look.state == layout::SlotState::filled ? std::max(filled, 0.15F) : 1.0F;
  look.opacity = view.opacity_of(block) * shown * moving.look.owned;
  look.fresh = is_new(block, offset) ? moving.look.flash : 0;
  look.read = offset < block.read ? moving.look.read : 0;
  look.lit = view.lit.block == id && view.lit.offset == offset;
  return look;
}

std::string value_of(const layout::BlockPicture& block, std::uint32_t block_size) {
  if (!block.holds()) return block.evicted ? "free, evicted" : "free";
  std::string owners;
  for (std::uint32_t i = 0; i < block.owner_count; ++i) owners += letter(RequestId{block.owners[i]});
  if (block.cached) owners = "cached";
  std::string text = fmt::format("{} {}/{}", owners, block.filled, block_size);
  if (block.owner_count > 1 || (block.owner_count == 1 && block.in_tree)) text += fmt::format(" x{}", block.ref_count);
  if (block.in_tree) text += " tree";
  if (block.locked) text += " locked";
  if (block.evicted) text += " evicted";
  return text;
}

void draw_slots(BlocksView& view, std::uint32_t id, const MovingBlock& moving) {
  for (std::uint32_t offset = 0; offset < view.grid.block_size; ++offset) {
    const SlotLook look = look_of_slot(view, moving, id, offset);
    const bool has_text = look.state == layout::SlotState::filled;
    draw_slot(view.painter, view.grid.token_rect(id, offset), look,
              has_text ? view.token_in(*moving.block, offset) : "");
  }
}

void draw_one(BlocksView& view, std::uint32_t id) {
  const MovingBlock moving = moving_block(view, id);
  const Rect rect = view.grid.block_rect(id);
  BlockFrame frame;
  frame.id = id;
  frame.block = moving.look.owned > 0 ? moving.block : nullptr;
  frame.look = moving.look;
  frame.header = view.grid.header;
  frame.opacity = view.opacity_of(*moving.block);
  frame.lit = view.is_lit(id);
  frame.selected = view.context.selection.selected == Target::block(id);
  frame.evicted = view.context.scene.picture.blocks[id].evicted;
  frame.drained = view.context.scene.change;
  if (view.grid.detail == layout::Detail::tokens) {
    if (frame.block != nullptr) view.painter.fill(rect, view.painter.theme().panel, 4);
    draw_block_frame(view.painter, rect, frame);
    if (frame.block != nullptr) draw_slots(view, id, moving);
    if (frame.evicted) draw_evicted(view.painter, rect, frame.drained, frame.opacity);
  } else {
    if (frame.block != nullptr) view.painter.fill(rect, view.painter.theme().panel, 2);
    draw_block_cell(view.painter, rect, frame, view.grid.block_size);
  }
  const layout::BlockPicture& now = view.context.scene.picture.blocks[id];
  view.context.ui.registry.add_rect(name_of(Target::block(id)), "block", fmt::format("block {}", id),
                                    value_of(now, view.grid.block_size), view.canvas, screen_rect(rect));
}

/// Copy-on-write: an arrow from the block that others keep to the copy.
void draw_copy(BlocksView& view, const layout::CopyPicture& copy) {
  Painter& painter = view.painter;
  const Theme& theme = painter.theme();
  const Rect from = view.grid.block_rect(copy.from), to = view.grid.block_rect(copy.to);
  const float change = view.context.scene.change, phase = 1 - change;
  for (const Rect& rect : {from, to}) draw_ants(painter, rect, phase);
  const layout::Curve curve = layout::first_part(layout::copy_curve(from, to), change);
  painter.curve(curve, theme.panel, 5);
  painter.dashed(curve, theme.text, 6, 4, phase, 2.5F);
  const layout::Point tip = curve[3];
  const float size = painter.px(6);
  painter.triangle({tip.x - size, tip.y - size}, {tip.x + size, tip.y - size}, {tip.x, tip.y + size}, theme.text);
  const std::string words = tr_format("copy {} tokens", copy.tokens);
  const float width = painter.measure(FontRole::small, words) + painter.px(10), height = painter.px(16);
  const Rect plate{to.centre().x - width / 2, to.bottom() - height * 0.75F, width, height};
  painter.fill(plate, theme.raised, 4);
  painter.outline(plate, theme.text, 1, 4);
  painter.text(plate, words, theme.text, FontRole::small, Align::centre);
  view.context.ui.registry.add_rect(fmt::format("copy:{}-{}", copy.from, copy.to), "copy", words, "", 0,
                                    screen_rect(plate));
}

}  // namespace

void draw_pool_blocks(BlocksView& view) {
  for (std::uint32_t id = 0; id < view.grid.num_blocks; ++id) draw_one(view, id);
  for (const layout::CopyPicture& copy : view.context.scene.picture.copies) draw_copy(view, copy);
}

}  // namespace kvarium::ui
