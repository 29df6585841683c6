// The drawing of the Radix tab: nodes, edges, and the pool below.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "visualizer/panels/radix_view.h"
#include "visualizer/ui/icons.h"

namespace kvarium::ui {
namespace {

using layout::Point;
using layout::Rect;

constexpr float kHighlight = 0.285F, kMoved = 0.855F;  // of 420 ms: 120 highlight, 240 move, 60 settle
constexpr float kTwoLines = 40, kOneLine = 13;         // logical pixels of height that text needs

float moved(float time) { return ease_in_out(std::clamp((time - kHighlight) / (kMoved - kHighlight), 0.0F, 1.0F)); }

float opacity_of(const RadixView& view, const ShownNode& node) {
  if (node.gone) return 1 - 0.55F * moved(view.time);
  return node.is_new ? moved(view.time) : 1.0F;
}

/// From the middle of the parent's right edge to the middle of the child's left edge.
layout::Curve edge_curve(const Rect& parent, const Rect& child) {
  const Point from{parent.right(), parent.centre().y}, to{child.x, child.centre().y};
  const float reach = std::max(8.0F, (to.x - from.x) * 0.5F);
  return {from, {from.x + reach, from.y}, {to.x - reach, to.y}, to};
}

void draw_edge(RadixView& view, std::size_t i) {
  const ShownNode& node = view.state.nodes[i];
  const Rect parent = view.rect_of(node.node.parent), child = view.rect_of(i);
  const Rect both{parent.x, std::min(parent.y, child.y), child.right() - parent.x,
                  std::max(parent.bottom(), child.bottom()) - std::min(parent.y, child.y)};
  if (!layout::overlap(both, view.tree)) return;
  const Theme& theme = view.painter.theme();
  const bool lit = view.is_lit(node);
  const float width = (1 + std::log2(1.0F + static_cast<float>(node.node.num_tokens))) * std::min(1.0F, view.view.zoom);
  const Colour colour = with_alpha(lit ? theme.text : theme.outline, opacity_of(view, node));
  const layout::Curve curve = edge_curve(parent, child);
  if (node.gone || !node.node.found || node.node.folded > 0)
    view.painter.dashed(curve, colour, 4, 4, 0, 1.5F);
  else if (layout::overlap(child, view.tree))
    view.painter.curve(curve, colour, width);
  else
    view.painter.curve(curve, with_alpha(theme.outline, 0.3F), 1);  // many of them would be one dark wedge
}

/// How recently the node was used: full when in this step, empty when none was used longer ago.
void draw_age(RadixView& view, const Rect& pill, const PrefixNode& node, std::uint64_t oldest, float opacity) {
  const Painter& painter = view.painter;
  const Rect bar{pill.x + painter.px(10), pill.bottom() - painter.px(5), pill.width - painter.px(18), painter.px(2.5F)};
  const std::uint64_t now = view.world().step;
  const float share =
      now > oldest ? static_cast<float>(std::min(now, node.used_step) - oldest) / static_cast<float>(now - oldest)
                   : 1.0F;
  view.painter.fill(bar, with_alpha(painter.theme().line, opacity), 1);
  view.painter.fill({bar.x, bar.y, bar.width * share, bar.height}, with_alpha(painter.theme().accent, opacity), 1);
}

/// The requests that hold the node, as stripes at its left end; grey and hatched: none does.
void draw_owners(RadixView& view, const Rect& pill, const PrefixNode& node, float opacity) {
  const Rect band{pill.x + view.painter.px(2), pill.y + view.painter.px(2), view.painter.px(5),
                  pill.height - view.painter.px(4)};
  if (node.blocks.empty()) return;
  const layout::BlockPicture& block = view.context.scene.picture.blocks[index(node.blocks.front())];
  if (block.owner_count == 0) {
    view.painter.fill(band, with_alpha(view.painter.theme().cached, opacity), 1);
    return view.painter.hatch(band, with_alpha(view.painter.theme().text, 0.4F * opacity), 5);
  }
  const float height = band.height / static_cast<float>(block.owner_count);
  for (std::uint32_t i = 0; i < block.owner_count; ++i) {
    const Rect part{band.x, band.y + height * static_cast<float>(i), band.width, height};
    view.painter.fill(part, with_alpha(view.painter.theme().owner(block.owners[i]).fill, opacity), 1);
  }
}

std::string second_line(const RadixView& view, const ShownNode& shown) {
  if (shown.gone) return std::string(tr("evicted"));
  std::string words = tr_format("{} tokens", shown.node.num_tokens);
  const std::string who = holders(view, shown.node);
  if (!who.empty()) words += " · " + who;
  if (!shown.node.found) words += " · " + std::string(tr("not found"));
  return words;
}

void draw_lock(RadixView& view, Rect& line, std::uint32_t locks, Colour ink) {
  if (locks == 0) return;
  Painter& painter = view.painter;
  const std::string count = std::to_string(locks);
  const float width = painter.measure(FontRole::small, count) + painter.px(1);
  painter.text(layout::cut_right(line, width), count, ink, FontRole::small, Align::right);
  const float side = painter.px(11);
  const Point centre = layout::cut_right(line, side + painter.px(2)).centre();
  draw_icon(painter.list(), Icon::lock, ImVec2(centre.x, centre.y), side, ink);
}

void draw_words(RadixView& view, const Rect& pill, const ShownNode& shown, float opacity) {
  Painter& painter = view.painter;
  const Theme& theme = painter.theme();
  Rect inside{pill.x + painter.px(12), pill.y + painter.px(3), pill.width - painter.px(20),
              pill.height - painter.px(9)};
  const bool is_root = &shown == &view.state.nodes.front();
  const std::string name = is_root                 ? std::string(tr("root"))
                           : shown.node.folded > 0 ? tr_format("… {} more branches", shown.node.folded)
                                                   : preview_text(view.world(), shown.node);
  const Colour ink = with_alpha(theme.text, opacity);
  if (is_root) return static_cast<void>(painter.text(pill, name, ink, FontRole::small, Align::centre));
  if (shown.node.folded > 0) return static_cast<void>(painter.text(inside, name, ink, FontRole::small));
  if (pill.height < painter.px(kTwoLines)) {
    draw_lock(view, inside, shown.node.locks, ink);
    const std::string count = shown.gone ? std::string(tr("evicted")) : std::to_string(shown.node.num_tokens);
    const float width = painter.measure(FontRole::small, count) + painter.px(4);
    painter.text(layout::cut_right(inside, width), count, with_alpha(theme.dim, opacity), FontRole::small,
                 Align::right);
    return static_cast<void>(painter.text(inside, name, ink, FontRole::mono));
  }
  Rect line = layout::cut_bottom(inside, inside.height * 0.45F);
  if (view.state.kind == PrefixTreeKind::radix) {
    const std::string id = fmt::format("n{}", value(shown.node.id));
    painter.text(layout::cut_right(inside, painter.measure(FontRole::small, id) + painter.px(3)), id,
                 with_alpha(theme.dim, opacity), FontRole::small, Align::right);
  }
  painter.text(inside, name, ink, FontRole::mono);
  draw_lock(view, line, shown.node.locks, ink);
  painter.text(line, second_line(view, shown), with_alpha(theme.dim, opacity), FontRole::small);
}

void draw_pill(RadixView& view, const Rect& pill, const ShownNode& shown, float opacity) {
  Painter& painter = view.painter;
  const Theme& theme = painter.theme();
  const bool lit = view.is_lit(shown);
  painter.fill(pill, with_alpha(theme.raised, opacity), 7);
  if (shown.gone || !shown.node.found || shown.node.folded > 0)
    painter.dashed(pill, with_alpha(theme.dim, opacity), 4, 4);
  else
    painter.outline(pill, with_alpha(theme.outline, opacity), 1, 7);
  if (shown.node.locks > 0) painter.outline(pill.inset(painter.px(3)), with_alpha(theme.outline, opacity), 1, 5);
  if (shown.gone) {
    painter.line({pill.x, pill.bottom()}, {pill.right(), pill.y}, with_alpha(theme.dim, opacity), 1);
  }
  const bool changed = shown.is_new || shown.was_cut || shown.gone;
  const bool before = view.time < kHighlight && (shown.was_cut || shown.gone);
  if (before || (changed && !shown.gone && view.time >= kHighlight))
    painter.outline(pill.inset(-painter.px(2)), with_alpha(theme.warning, opacity), 2, 8);
  if (lit) painter.outline(pill.inset(-painter.px(2)), theme.text, 2, 8);
}

/// The step in which the node was used that was used longest ago.
std::uint64_t oldest_use(const RadixPanelState& state) {
  std::uint64_t oldest = UINT64_MAX;
  for (std::size_t i = 1; i < state.nodes.size(); ++i)
    if (!state.nodes[i].gone && state.nodes[i].node.folded == 0)
      oldest = std::min(oldest, state.nodes[i].node.used_step);
  return oldest == UINT64_MAX ? 0 : oldest;
}

void draw_node(RadixView& view, std::size_t i, const Rect& pill, std::uint64_t oldest) {
  const ShownNode& shown = view.state.nodes[i];
  const float opacity = opacity_of(view, shown);
  if (opacity <= 0) return;
  draw_pill(view, pill, shown, opacity);
  if (i > 0 && shown.node.folded == 0) draw_owners(view, pill, shown.node, opacity);
  if (pill.height >= view.painter.px(kOneLine)) draw_words(view, pill, shown, opacity);
  if (i > 0 && shown.node.folded == 0 && !shown.gone && pill.height >= view.painter.px(kOneLine))
    draw_age(view, pill, shown.node, oldest, opacity);
  const Target target = target_of(view.state.kind, shown.node);
  if (!target || shown.gone) return;
  const bool chain = view.state.kind == PrefixTreeKind::hashes;
  const std::string id = chain ? fmt::format("chain:{}", target.number) : name_of(target);
  std::string words = tr_format("{} tokens", shown.node.num_tokens);
  if (shown.node.locks > 0) words += tr_format(", {} locks", shown.node.locks);
  view.context.ui.registry.add_rect(id, "node", preview_text(view.world(), shown.node), words, view.canvas,
                                    screen_rect(pill));
  for (const Target& pointed : view.context.scene.pointed) {
    if (pointed == target) view.painter.outline(pill.inset(-view.painter.px(4)), view.painter.theme().accent, 2.5F, 10);
  }
}

/// Lines from the nodes that are lit to their blocks, as long as they can be told apart.
void draw_links(RadixView& view) {
  constexpr std::size_t kMostLinks = 48;
  std::size_t links = 0;
  for (std::size_t i = 0; i < view.state.nodes.size() && links < kMostLinks; ++i) {
    const ShownNode& shown = view.state.nodes[i];
    if (!view.is_lit(shown)) continue;
    const Rect pill = view.rect_of(i);
    if (!layout::overlap(pill, view.tree)) continue;
    const Rect from{pill.x, pill.y, pill.width, std::min(pill.bottom(), view.tree.bottom()) - pill.y};
    for (const BlockId block : shown.node.blocks) {
      if (++links > kMostLinks) break;
      const layout::Curve curve = layout::link_curve(from, view.grid.block_rect(value(block)));
      view.painter.curve(curve, with_alpha(view.painter.theme().text, 0.55F), 1.5F);
    }
  }
}

}  // namespace

Rect RadixView::rect_of(std::size_t i) const {
  const ShownNode& node = state.nodes[i];
  const float t = node.gone ? 1 : moved(time);
  const float across = node.from.y + (node.place.across - node.from.y) * t;
  const float depth = node.from.x + (static_cast<float>(node.place.depth) - node.from.x) * t;
  const float scale = painter.px(1) * view.zoom;
  return {tree.x + view.pan.x + left_of(depth) * scale, tree.y + view.pan.y + across * kRowDistance * scale,
          (i == 0 ? kRootWidth : kPillWidth) * scale, kPillHeight * scale};
}

bool RadixView::is_lit(const ShownNode& shown) const {
  if (shown.gone) return false;
  const Target target = context.selection.lit();
  if (target && target == target_of(state.kind, shown.node)) return true;
  return std::any_of(shown.node.blocks.begin(), shown.node.blocks.end(),
                     [this](BlockId block) { return index(block) < lit.size() && lit[index(block)]; });
}

std::string preview_text(const World& world, const PrefixNode& node) {
  std::string text = node.scope.empty() ? std::string() : node.scope + " ";
  for (const TokenId token : node.preview) text += layout::visible_token(world.text_of(token));
  return node.num_tokens > node.preview.size() ? text + "…" : text;
}

std::string holders(const RadixView& view, const PrefixNode& node) {
  std::string letters;
  if (node.blocks.empty()) return letters;
  const layout::BlockPicture& block = view.context.scene.picture.blocks[index(node.blocks.front())];
  for (std::uint32_t i = 0; i < block.owner_count; ++i) letters += letter(RequestId{block.owners[i]});
  return letters;
}

std::size_t draw_tree(RadixView& view) {
  const bool one_by_one = view.grid.detail == layout::Detail::tokens || view.grid.detail == layout::Detail::blocks;
  if (one_by_one) draw_links(view);
  view.painter.clip(view.tree);
  for (std::size_t i = 1; i < view.state.nodes.size(); ++i) draw_edge(view, i);
  const std::uint64_t oldest = oldest_use(view.state);
  std::size_t outside = 0;
  for (const bool is_new : {true, false}) {  // what comes out of its parent comes out from behind it
    for (std::size_t i = 0; i < view.state.nodes.size(); ++i) {
      if (view.state.nodes[i].is_new != is_new) continue;
      const Rect pill = view.rect_of(i);
      if (layout::overlap(pill, view.tree))
        draw_node(view, i, pill, oldest);
      else
        ++outside;
    }
  }
  view.painter.pop_clip();
  return outside;
}

namespace {

void draw_cell(RadixView& view, std::uint32_t id) {
  const layout::PoolPicture& picture = view.context.scene.picture;
  const Rect rect = view.grid.block_rect(id);
  BlockFrame frame;
  frame.id = id;
  frame.block = picture.blocks[id].holds() ? &picture.blocks[id] : nullptr;
  frame.look = look_of(picture.blocks[id]);
  frame.lit = view.lit[id];
  frame.evicted = picture.blocks[id].evicted;
  frame.drained = view.context.scene.change;
  if (view.node_of[id] != NodeId{0}) frame.note = fmt::format("n{}", value(view.node_of[id]));
  draw_block_cell(view.painter, rect, frame, view.world().block_size);
  view.context.ui.registry.add_rect(name_of(Target::block(id)), "block", fmt::format("block {}", id), frame.note,
                                    view.canvas, screen_rect(rect));
}

}  // namespace

void draw_strip(RadixView& view, PoolTexture& texture) {
  const bool one_by_one = view.grid.detail == layout::Detail::tokens || view.grid.detail == layout::Detail::blocks;
  if (!one_by_one) {
    std::vector<bool> dimmed;
    const bool any = std::find(view.lit.begin(), view.lit.end(), true) != view.lit.end();
    for (std::size_t i = 0; any && i < view.lit.size(); ++i) dimmed.push_back(!view.lit[i]);
    Ui& ui = view.context.ui;
    texture.update(ui.textures, view.grid, view.context.scene.picture, dimmed, ui.theme(), ui.look_version());
    return texture.draw(view.painter.list(), view.grid);
  }
  for (std::uint32_t id = 0; id < view.grid.num_blocks; ++id) draw_cell(view, id);
}

}  // namespace kvarium::ui
