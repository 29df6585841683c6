#include "visualizer/draw/cell.h"

#include <fmt/format.h>

#include <cmath>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kReservedTint = 0.18F;

OwnerColours first_owner(const Painter& painter, const layout::BlockPicture* block) {
  if (block == nullptr || block->owner_count == 0) return {painter.theme().cached, painter.theme().text};
  return painter.theme().owner(block->owners[0]);
}

std::string owner_letters(const layout::BlockPicture& block) {
  std::string letters;
  for (std::uint32_t i = 0; i < block.owner_count; ++i) letters += letter(RequestId{block.owners[i]});
  if (block.ref_count > block.owner_count) letters += "+";
  return letters;
}

void highlight(Painter& painter, const Rect& rect, bool selected) {
  const Rect around{rect.x - painter.px(1.5F), rect.y - painter.px(1.5F), rect.width + painter.px(3),
                    rect.height + painter.px(3)};
  painter.outline(around, selected ? painter.theme().accent : painter.theme().text, 2, 4);
}

void draw_reserved(Painter& painter, const Rect& rect, const SlotLook& look) {
  const Colour hue = first_owner(painter, look.block).fill;
  painter.fill(rect, with_alpha(hue, kReservedTint * look.opacity), 2);
  painter.outline(rect, with_alpha(hue, 0.45F * look.opacity), 1, 2);
}

void draw_stale(Painter& painter, const Rect& rect, const SlotLook& look) {
  draw_reserved(painter, rect, look);
  const Colour hue = with_alpha(first_owner(painter, look.block).fill, 0.6F * look.opacity);
  painter.hatch(rect, hue, 7);
  painter.hatch(rect, hue, 7, false);
  painter.text_if_fits(rect, "x", with_alpha(painter.theme().text, look.opacity), FontRole::small, Align::centre);
}

void draw_filled(Painter& painter, const Rect& rect, const SlotLook& look, std::string_view text) {
  const OwnerColours colours = first_owner(painter, look.block);
  if (look.block != nullptr)
    fill_owners(painter, rect, *look.block, look.opacity);
  else
    painter.fill(rect, with_alpha(colours.fill, look.opacity), 2);
  painter.outline(rect, with_alpha(painter.theme().outline, 0.8F * look.opacity), 1, 2);
  if (rect.width < painter.px(12) || rect.height < painter.px(11)) return;
  draw_token(painter, rect, text, with_alpha(colours.text, look.opacity));
}

}  // namespace

void draw_token(Painter& painter, const Rect& rect, std::string_view text, Colour colour) {
  static constexpr std::string_view kSpace = "·";
  const Rect inside{rect.x + painter.px(1), rect.y, rect.width - painter.px(2), rect.height};
  const bool fits = painter.measure(FontRole::small, text) <= inside.width;
  // Where room is short, the mark of a leading space goes first.
  if (!fits && text.substr(0, kSpace.size()) == kSpace && text.size() > kSpace.size())
    text.remove_prefix(kSpace.size());
  if (painter.measure(FontRole::small, text) <= inside.width) {
    painter.text(inside, text, colour, FontRole::small, Align::centre);
    return;
  }
  // Its first letters say more than a mark for what was cut.
  painter.clip(inside);
  painter.text({inside.x, inside.y, inside.width * 8, inside.height}, text, colour, FontRole::small);
  painter.pop_clip();
}

void fill_owners(Painter& painter, const Rect& rect, const layout::BlockPicture& block, float opacity) {
  if (block.owner_count <= 1) {
    painter.fill(rect, with_alpha(first_owner(painter, &block).fill, opacity), 2);
    return;
  }
  constexpr float kStripe = 6;  // logical pixels
  const float width = painter.px(kStripe);
  std::uint32_t owner = 0;
  for (float at = 0; at < rect.width; at += width) {
    const Rect stripe{rect.x + at, rect.y, std::min(width, rect.width - at), rect.height};
    painter.fill(stripe, with_alpha(painter.theme().owner(block.owners[owner]).fill, opacity));
    owner = (owner + 1) % block.owner_count;
  }
}

void draw_slot(Painter& painter, const Rect& rect, const SlotLook& look, std::string_view text) {
  const Rect cell = rect.inset(painter.px(0.5F));
  switch (look.state) {
    case layout::SlotState::free:
      break;
    case layout::SlotState::reserved:
      draw_reserved(painter, cell, look);
      break;
    case layout::SlotState::stale:
      draw_stale(painter, cell, look);
      break;
    case layout::SlotState::filled:
      draw_filled(painter, cell, look, text);
      break;
  }
  const Colour mark = first_owner(painter, look.block).text;
  if (look.read > 0) {
    const float height = std::min(painter.px(3), cell.height * 0.12F) * look.read;
    painter.fill({cell.x + painter.px(2), cell.bottom() - height - painter.px(1), cell.width - painter.px(4), height},
                 with_alpha(mark, 0.7F * look.opacity));
  }
  if (look.fresh > 0) {
    painter.outline(cell.inset(painter.px(1.5F)), with_alpha(rgb(0xFFFFFF), look.fresh * look.opacity), 2, 2);
    painter.outline(cell, with_alpha(painter.theme().text, look.fresh * look.opacity), 1, 2);
  }
  if (look.lit) highlight(painter, cell, false);
}

void draw_block_frame(Painter& painter, const Rect& rect, const BlockFrame& frame) {
  const Theme& theme = painter.theme();
  const bool owned = frame.block != nullptr && frame.block->owner_count > 0;
  const Colour hue = first_owner(painter, frame.block).fill;
  if (owned) {
    painter.fill(rect, over(with_alpha(hue, 0.10F * frame.look.owned), theme.panel), 4);
    painter.outline(rect, with_alpha(hue, 0.9F * frame.opacity), 1.5F, 4);
  } else {
    painter.dashed(rect, with_alpha(theme.outline, 0.8F * frame.opacity), 4, 4);
  }
  const float margin = painter.px(5);
  Rect header{rect.x + margin, rect.y, rect.width - 2 * margin, frame.header};
  const Colour ink = with_alpha(owned ? theme.text : theme.dim, frame.opacity);
  painter.text(header, std::to_string(frame.id), ink, FontRole::mono);
  if (owned) {
    const std::string who = owner_letters(*frame.block);
    const std::string badge = frame.block->ref_count > 1 ? fmt::format("{}  x{}", who, frame.block->ref_count) : who;
    painter.text_if_fits(layout::cut_right(header, header.width * 0.6F), badge, ink, FontRole::strong, Align::right);
  }
  if (frame.lit || frame.selected) highlight(painter, rect, frame.selected);
}

void draw_block_cell(Painter& painter, const Rect& rect, const BlockFrame& frame, std::uint32_t block_size) {
  const Theme& theme = painter.theme();
  const bool owned = frame.block != nullptr && frame.block->owner_count > 0;
  if (owned) {
    const OwnerColours colours = first_owner(painter, frame.block);
    painter.fill(rect, with_alpha(colours.fill, kReservedTint * frame.opacity), 2);
    const float level = block_size == 0 ? 0 : frame.look.filled / static_cast<float>(block_size);
    fill_owners(painter, {rect.x, rect.bottom() - rect.height * level, rect.width, rect.height * level}, *frame.block,
                frame.opacity);
    painter.outline(rect, with_alpha(theme.outline, frame.opacity), 1, 2);
    const Colour ink = with_alpha(level > 0.5F ? colours.text : theme.text, frame.opacity);
    const std::string badge = !frame.caption.empty()       ? frame.caption
                              : frame.block->ref_count > 1 ? fmt::format("x{}", frame.block->ref_count)
                                                           : owner_letters(*frame.block);
    painter.text_if_fits(rect, badge, ink, FontRole::small, Align::centre);
    if (frame.look.flash > 0) {
      painter.outline(rect.inset(painter.px(1.5F)), with_alpha(rgb(0xFFFFFF), frame.look.flash * frame.opacity), 2, 2);
    }
  } else {
    painter.dashed(rect, with_alpha(theme.outline, 0.7F * frame.opacity), 3, 3);
    painter.text_if_fits(rect, std::to_string(frame.id), with_alpha(theme.dim, frame.opacity), FontRole::small,
                         Align::centre);
  }
  if (frame.lit || frame.selected) highlight(painter, rect, frame.selected);
}

void draw_letter(Painter& painter, const Rect& rect, RequestId request, float opacity) {
  const OwnerColours colours = painter.theme().owner(value(request));
  painter.fill(rect, with_alpha(colours.fill, opacity), 4);
  painter.outline(rect, with_alpha(painter.theme().outline, opacity), 1, 4);
  painter.text(rect, letter(request), with_alpha(colours.text, opacity), FontRole::strong, Align::centre);
}

void draw_sample(Painter& painter, const Rect& rect, CellState state) {
  layout::BlockPicture block;
  block.owner_count = block.ref_count = 1;
  SlotLook look;
  look.block = &block;
  look.state = layout::SlotState::filled;
  switch (state) {
    case CellState::free:
      painter.dashed(rect, painter.theme().outline, 2, 2);
      return;
    case CellState::reserved:
      look.state = layout::SlotState::reserved;
      break;
    case CellState::stale:
      look.state = layout::SlotState::stale;
      break;
    case CellState::fresh:
      look.fresh = 1;
      break;
    case CellState::read:
      look.read = 1;
      break;
    case CellState::shared:
      block.owner_count = block.ref_count = 2;
      block.owners = {0, 1, 0, 0};
      break;
    default:
      break;
  }
  draw_slot(painter, rect, look, "");
}

}  // namespace kvarium::ui
