#include "visualizer/draw/cell.h"

#include <fmt/format.h>

#include <cmath>

#include "visualizer/platform/im_compat.h"
#include "visualizer/ui/icons.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kReservedTint = 0.18F;

OwnerColours first_owner(const Painter& painter, const layout::BlockPicture* block) {
  if (block == nullptr || block->owner_count == 0) return {painter.theme().cached, readable_on(painter.theme().cached)};
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

bool is_cached(const layout::BlockPicture* block) { return block != nullptr && block->cached; }

/// What is cached and nobody's: grey, hatched at 45 degrees.
void fill_cached(Painter& painter, const Rect& rect, float opacity) {
  const Theme& theme = painter.theme();
  painter.fill(rect, with_alpha(theme.cached, 0.6F * opacity), 2);
  painter.hatch(rect, with_alpha(readable_on(theme.cached), 0.28F * opacity), 6);
}

/// A token on a hatched cell stands on a small plate of the cell's own colour.
void draw_cached_token(Painter& painter, const Rect& rect, std::string_view text, float opacity) {
  if (text.empty()) return;
  const Theme& theme = painter.theme();
  const float width = std::min(rect.width - painter.px(2), painter.measure(FontRole::small, text) + painter.px(6));
  const float height = std::min(rect.height - painter.px(2), painter.line_height(FontRole::small) + painter.px(2));
  const layout::Point at = rect.centre();
  painter.fill({at.x - width / 2, at.y - height / 2, width, height}, with_alpha(theme.cached, opacity), 3);
  draw_token(painter, rect, text, with_alpha(readable_on(theme.cached), opacity));
}

/// A trunk with two branches: the radix tree holds the block.
void draw_tree_mark(Painter& painter, const Rect& square, Colour ink) {
  const Rect at = square.inset(square.width * 0.15F);
  const layout::Point root{at.x, at.y + at.height / 2}, fork{at.x + at.width * 0.4F, root.y};
  painter.line(root, fork, ink, 1.5F);
  for (const float y : {at.y, at.bottom()}) {
    painter.line(fork, {fork.x, y}, ink, 1.5F);
    painter.line({fork.x, y}, {at.right(), y}, ink, 1.5F);
  }
}

/// The marks of the tree and of its locks at the right end of `line`, which becomes shorter.
void draw_tree_marks(Painter& painter, Rect& line, const layout::BlockPicture& block, Colour ink) {
  const float side = std::min(line.height, painter.px(11));
  const auto square = [&] {
    const Rect place = layout::cut_right(line, side);
    layout::cut_right(line, painter.px(3));
    return Rect{place.x, place.y + (place.height - side) / 2, side, side};
  };
  if (block.locked) {
    const layout::Point centre = square().centre();
    draw_icon(painter.list(), Icon::lock, ImVec2(centre.x, centre.y), side, ink);
  }
  if (block.in_tree) draw_tree_mark(painter, square(), ink);
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
  if (is_cached(look.block))
    fill_cached(painter, rect, look.opacity);
  else if (look.block != nullptr)
    fill_owners(painter, rect, *look.block, look.opacity);
  else
    painter.fill(rect, with_alpha(colours.fill, look.opacity), 2);
  painter.outline(rect, with_alpha(painter.theme().outline, 0.8F * look.opacity), 1, 2);
  if (rect.width < painter.px(12) || rect.height < painter.px(11)) return;
  if (is_cached(look.block)) return draw_cached_token(painter, rect, text, look.opacity);
  draw_token(painter, rect, text, with_alpha(colours.text, look.opacity));
}

/// "AB x3": whose block it is and how often it is held; "#": only the prefix cache's.
std::string badge_of(const BlockFrame& frame) {
  if (frame.block->cached) return "#";
  const std::string who = owner_letters(*frame.block);
  return frame.block->ref_count > 1 ? fmt::format("{} x{}", who, frame.block->ref_count) : who;
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
  const bool owned = frame.block != nullptr && frame.block->holds();
  const Colour hue = first_owner(painter, frame.block).fill;
  if (owned) {
    painter.fill(rect, over(with_alpha(hue, 0.10F * frame.look.owned), theme.panel), 4);
    painter.outline(rect, with_alpha(hue, 0.9F * frame.opacity), 1.5F, 4);
    if (frame.block->locked) painter.outline(rect.inset(painter.px(3)), with_alpha(hue, 0.9F * frame.opacity), 1, 3);
  } else {
    painter.dashed(rect, with_alpha(theme.outline, 0.8F * frame.opacity), 4, 4);
  }
  const float margin = painter.px(5);
  Rect header{rect.x + margin, rect.y, rect.width - 2 * margin, frame.header};
  const Colour ink = with_alpha(owned ? theme.text : theme.dim, frame.opacity);
  painter.text(header, std::to_string(frame.id), ink, FontRole::mono);
  if (owned) {
    layout::cut_left(header, painter.measure(FontRole::mono, std::to_string(frame.id)) + painter.px(3));
    draw_tree_marks(painter, header, *frame.block, ink);
    const FontRole font = frame.block->cached ? FontRole::mono : FontRole::strong;
    const std::string badge = badge_of(frame), count = fmt::format("x{}", frame.block->ref_count);
    const bool fits = frame.block->ref_count < 2 || painter.measure(font, badge) <= header.width;
    painter.text_if_fits(header, fits ? badge : count, ink, font, Align::right);
  }
  if (frame.lit || frame.selected) highlight(painter, rect, frame.selected);
}

namespace {

/// The badge in the middle; the block's number and the tree's marks in the corners where there is room for them.
void draw_cell_words(Painter& painter, const Rect& rect, const BlockFrame& frame, Colour ink) {
  const bool roomy = frame.caption.empty() && rect.width >= painter.px(36) && rect.height >= painter.px(36);
  Rect middle = rect.inset(painter.px(roomy ? 3.5F : 0));
  if (roomy) {
    Rect line = layout::cut_top(middle, painter.px(13));
    draw_tree_marks(painter, line, *frame.block, ink);
    painter.text_if_fits(line, std::to_string(frame.id), ink, FontRole::small, Align::left);
  }
  if (roomy && !frame.note.empty())
    painter.text_if_fits(layout::cut_bottom(middle, painter.px(14)), frame.note, ink, FontRole::small, Align::centre);
  std::string badge = frame.caption.empty() ? badge_of(frame) : frame.caption;
  const bool fits = painter.measure(FontRole::small, badge) <= middle.width;
  if (!fits && frame.block->ref_count > 1) badge = fmt::format("x{}", frame.block->ref_count);
  painter.text_if_fits(middle, badge, ink, FontRole::small, Align::centre);
}

}  // namespace

void draw_block_cell(Painter& painter, const Rect& rect, const BlockFrame& frame, std::uint32_t block_size) {
  const Theme& theme = painter.theme();
  const bool owned = frame.block != nullptr && frame.block->holds();
  if (owned) {
    const OwnerColours colours = first_owner(painter, frame.block);
    painter.fill(rect, with_alpha(colours.fill, kReservedTint * frame.opacity), 2);
    const float level = block_size == 0 ? 0 : frame.look.filled / static_cast<float>(block_size);
    const Rect filled{rect.x, rect.bottom() - rect.height * level, rect.width, rect.height * level};
    if (frame.block->cached)
      fill_cached(painter, filled, frame.opacity);
    else
      fill_owners(painter, filled, *frame.block, frame.opacity);
    painter.outline(rect, with_alpha(theme.outline, frame.opacity), 1, 2);
    if (frame.block->locked) painter.outline(rect.inset(painter.px(2.5F)), with_alpha(theme.text, frame.opacity), 1, 2);
    const Colour ink = with_alpha(level > 0.5F ? colours.text : theme.text, frame.opacity);
    draw_cell_words(painter, rect, frame, ink);
    if (frame.look.flash > 0) {
      painter.outline(rect.inset(painter.px(1.5F)), with_alpha(rgb(0xFFFFFF), frame.look.flash * frame.opacity), 2, 2);
    }
  } else {
    painter.dashed(rect, with_alpha(theme.outline, 0.7F * frame.opacity), 3, 3);
    painter.text_if_fits(rect, std::to_string(frame.id), with_alpha(theme.dim, frame.opacity), FontRole::small,
                         Align::centre);
  }
  if (frame.evicted) draw_evicted(painter, rect, frame.drained, frame.opacity);
  if (frame.lit || frame.selected) highlight(painter, rect, frame.selected);
}

void draw_evicted(Painter& painter, const Rect& rect, float drained, float opacity) {
  const float left = rect.height * (1 - drained);
  fill_cached(painter, {rect.x, rect.bottom() - left, rect.width, left}, opacity);
  painter.outline(rect.inset(painter.px(1)), with_alpha(painter.theme().text, opacity), 3, 3);
}

void draw_ants(Painter& painter, const Rect& rect, float phase) {
  constexpr float kDash = 5, kSpace = 4;  // logical pixels
  const Rect at = rect.inset(painter.px(0.5F));
  painter.outline(at, painter.theme().panel, 2, 0);
  painter.dashed(at, painter.theme().text, kDash, kSpace, phase, 2);
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
    case CellState::cached:
      return fill_cached(painter, rect, 1);
    case CellState::pinned:
      draw_slot(painter, rect, look, "");
      return painter.outline(rect.inset(painter.px(3)), painter.theme().text, 1, 1);
    case CellState::copying:
      draw_slot(painter, rect, look, "");
      return draw_ants(painter, rect, 0);
    case CellState::evicting:
      return draw_evicted(painter, rect, 0.5F, 1);
    default:
      break;
  }
  draw_slot(painter, rect, look, "");
}

}  // namespace kvarium::ui
