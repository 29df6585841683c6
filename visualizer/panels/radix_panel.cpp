#include "visualizer/panels/radix_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/words/words.h"
#include "visualizer/panels/radix_view.h"

namespace kvarium::ui {
namespace {

using layout::Point;
using layout::Rect;

constexpr double kTreeSeconds = 0.42;
constexpr std::size_t kMostChildren = 40;
constexpr float kSmallestFit = 0.62F;  // below it, text could not be read
constexpr float kSmallestZoom = 0.04F, kLargestZoom = 2;
constexpr float kMargin = 12, kTitle = 26;

/// What the step did to the tree so far.
struct TreeChanges {
  std::set<NodeId> inserted, cut, removed;
  std::set<BlockId> cached;
};

TreeChanges changes_of_step(const Trace& trace, const World& world) {
  TreeChanges changes;
  for (std::size_t i = world.step == 0 ? 0 : trace.start_of_step(world.step); i < world.events; ++i) {
    const Event& event = trace[i];
    if (const auto* inserted = std::get_if<RadixNodeInserted>(&event)) changes.inserted.insert(inserted->node);
    if (const auto* split = std::get_if<RadixNodeSplit>(&event)) {
      changes.inserted.insert(split->upper);
      changes.cut.insert(split->lower);
    }
    if (const auto* removed = std::get_if<RadixNodeRemoved>(&event)) {
      changes.removed.insert(removed->node);
      changes.inserted.erase(removed->node);
    }
    if (const auto* cached = std::get_if<BlockCached>(&event)) changes.cached.insert(cached->block);
  }
  return changes;
}

/// What stays the same about a node from picture to picture.
std::uint64_t key_of(PrefixTreeKind kind, const ShownNode& shown) {
  constexpr std::uint64_t kGone = std::uint64_t{1} << 40U, kFolded = std::uint64_t{1} << 41U;
  const PrefixNode& node = shown.node;
  if (node.folded > 0) return kFolded | node.parent;
  const std::uint64_t name = kind == PrefixTreeKind::radix ? value(node.id)
                             : node.blocks.empty()         ? UINT32_MAX
                                                           : value(node.blocks.front());
  return shown.gone ? name | kGone : name;
}

/// Nodes that the step evicted, below the parent that they had when it started.
void add_tombstones(std::vector<ShownNode>& nodes, const World& start, const TreeChanges& changes) {
  std::unordered_map<std::uint32_t, std::uint32_t> place_of;  // of a node that is still there, or of a tombstone
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].node.folded == 0 && changes.inserted.count(nodes[i].node.id) == 0)
      place_of[value(nodes[i].node.id)] = i;
  const PrefixTree before = prefix_tree(start, kMostChildren);
  for (std::size_t i = 1; i < before.nodes.size(); ++i) {
    const PrefixNode& old = before.nodes[i];
    if (old.folded > 0 || changes.removed.count(old.id) == 0) continue;
    ShownNode tombstone;
    tombstone.node = old;
    tombstone.gone = true;
    const auto parent = place_of.find(value(before.nodes[old.parent].id));
    tombstone.node.parent = parent == place_of.end() ? 0 : parent->second;
    place_of[value(old.id)] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(std::move(tombstone));
  }
}

bool is_new(PrefixTreeKind kind, const PrefixNode& node, const TreeChanges& changes) {
  if (kind == PrefixTreeKind::radix) return changes.inserted.count(node.id) > 0;
  return std::any_of(node.blocks.begin(), node.blocks.end(),
                     [&](BlockId block) { return changes.cached.count(block) > 0; });
}

std::vector<ShownNode> shown_nodes(const Scene& scene, PrefixTree tree) {
  const TreeChanges changes = changes_of_step(scene.trace(), scene.world());
  std::vector<ShownNode> nodes;
  for (PrefixNode& node : tree.nodes) {
    ShownNode shown;
    shown.is_new = !nodes.empty() && node.folded == 0 && is_new(tree.kind, node, changes);
    shown.was_cut = node.folded == 0 && tree.kind == PrefixTreeKind::radix && changes.cut.count(node.id) > 0;
    shown.node = std::move(node);
    nodes.push_back(std::move(shown));
  }
  if (tree.kind == PrefixTreeKind::radix && scene.step_start != nullptr)
    add_tombstones(nodes, *scene.step_start, changes);
  std::vector<std::uint32_t> parents;
  for (const ShownNode& shown : nodes) parents.push_back(shown.node.parent);
  const std::vector<layout::TreePlace> places = layout::tidy_tree(parents);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].place = places[i];
  return nodes;
}

Point point_of(const layout::TreePlace& place) { return {static_cast<float>(place.depth), place.across}; }

/// New nodes come out of their parent; all others start where they were.
void find_origins(RadixPanelState& state, const std::vector<ShownNode>& before) {
  std::unordered_map<std::uint64_t, Point> places;
  for (const ShownNode& old : before) places[key_of(state.kind, old)] = point_of(old.place);
  for (ShownNode& shown : state.nodes) {
    const bool is_root = &shown == &state.nodes.front();
    const auto old = places.find(key_of(state.kind, shown));
    if (old != places.end())
      shown.from = old->second;
    else if (before.empty() || shown.gone || is_root)
      shown.from = point_of(shown.place);
    else
      shown.from = state.nodes[shown.node.parent].from;
  }
}

/// The whole tree if it can be read then; else its beginning.
TreeView fitted_view(const RadixPanelState& state, const Rect& area, float scale) {
  float across = 0, depth = 0;
  for (const ShownNode& shown : state.nodes) {
    across = std::max(across, shown.place.across);
    depth = std::max(depth, static_cast<float>(shown.place.depth));
  }
  const float width = (left_of(depth) + (depth < 1 ? kRootWidth : kPillWidth) + 2 * kMargin) * scale;
  const float height = (across * kRowDistance + kPillHeight + 2 * kMargin) * scale;
  TreeView view;
  view.zoom = std::clamp(std::min(area.width / width, area.height / height), kSmallestFit, 1.0F);
  const float root = state.nodes.front().place.across * kRowDistance * scale * view.zoom;
  const float free = area.height - height * view.zoom;
  view.pan = {kMargin * scale,
              free >= 0 ? free / 2 + kMargin * scale * view.zoom : std::min(kMargin * scale, area.height / 2 - root)};
  return view;
}

void follow(PanelContext& context, RadixPanelState& state, const Rect& area) {
  const Scene& scene = context.scene;
  if (state.position != scene.world().events) {
    PrefixTree tree = prefix_tree(scene.world(), kMostChildren);
    const bool same_run = state.position != SIZE_MAX && state.kind == tree.kind;
    const std::vector<ShownNode> before = same_run ? std::move(state.nodes) : std::vector<ShownNode>{};
    state.kind = tree.kind;
    state.nodes = shown_nodes(scene, std::move(tree));
    find_origins(state, before);
    state.view_before = state.view;
    const double seconds = change_seconds(scene.speed, !scene.playing, scene.reduce_motion || before.empty());
    state.tween = {scene.seconds, seconds * kTreeSeconds / kStructureSeconds};
    state.position = scene.world().events;
  }
  if (!state.user_view && !state.nodes.empty()) state.view = fitted_view(state, area, context.ui.scale());
  if (state.tween.running(scene.seconds)) context.ui.keep_moving();
}

TreeView view_now(const RadixPanelState& state, float time) {
  if (state.user_view || state.view_before.zoom <= 0) return state.view;
  const float t = ease_in_out(time);
  const auto between = [t](float a, float b) { return a + (b - a) * t; };
  return {between(state.view_before.zoom, state.view.zoom),
          {between(state.view_before.pan.x, state.view.pan.x), between(state.view_before.pan.y, state.view.pan.y)}};
}

/// Wheel zooms at the pointer, dragging moves.
void interact(PanelContext& context, RadixPanelState& state, const Canvas& canvas, const Rect& area) {
  const ImGuiIO& io = ImGui::GetIO();
  const Point at = mouse();
  if (canvas.hovered && area.contains(at) && io.MouseWheel != 0) {
    const float zoom = std::clamp(state.view.zoom * (io.MouseWheel > 0 ? 1.2F : 1 / 1.2F), kSmallestZoom, kLargestZoom);
    const float factor = zoom / state.view.zoom;
    const Point anchor{at.x - area.x, at.y - area.y};
    state.view.pan = {anchor.x - (anchor.x - state.view.pan.x) * factor,
                      anchor.y - (anchor.y - state.view.pan.y) * factor};
    state.view.zoom = zoom;
    state.user_view = true;
  }
  const bool drags = ImGui::IsMouseDragging(ImGuiMouseButton_Left) || ImGui::IsMouseDragging(ImGuiMouseButton_Right);
  if (canvas.held && drags) {
    state.view.pan.x += io.MouseDelta.x;
    state.view.pan.y += io.MouseDelta.y;
    state.user_view = true;
  }
  if (drags) context.ui.keep_moving();
}

void reveal(RadixPanelState& state, const RadixView& view) {
  if (!state.reveal) return;
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    if (target_of(state.kind, state.nodes[i].node) != *state.reveal || state.nodes[i].gone) continue;
    const Rect pill = view.rect_of(i);
    const float margin = view.painter.px(kMargin);
    const float dx =
        std::max(0.0F, view.tree.x + margin - pill.x) - std::max(0.0F, pill.right() + margin - view.tree.right());
    const float dy =
        std::max(0.0F, view.tree.y + margin - pill.y) - std::max(0.0F, pill.bottom() + margin - view.tree.bottom());
    if (dx == 0 && dy == 0) break;
    state.view.pan = {state.view.pan.x + dx, state.view.pan.y + dy};
    state.user_view = true;
    break;
  }
  state.reveal.reset();
}

/// The blocks that are meant by a target: of a node, of a request, or the block itself.
std::vector<bool> lit_blocks(const World& world, const Target& target) {
  std::vector<bool> lit(world.blocks.size(), false);
  const Resolved at = resolve(world, target);
  const auto light = [&lit](const std::vector<BlockId>& blocks) {
    for (const BlockId block : blocks)
      if (index(block) < lit.size()) lit[index(block)] = true;
  };
  if (at.node)
    light(world.radix[index(*at.node)]->blocks);
  else if (target.kind == Target::Kind::request && at.request)
    light(world.request(*at.request).table);
  else if (at.block)
    lit[*at.block] = true;
  return lit;
}

std::vector<NodeId> nodes_of_blocks(const World& world) {
  std::vector<NodeId> nodes(world.blocks.size(), NodeId{0});
  for (std::uint32_t id = 1; id < world.radix.size(); ++id) {
    if (!world.radix[id]->exists) continue;
    for (const BlockId block : world.radix[id]->blocks) nodes[index(block)] = NodeId{id};
  }
  return nodes;
}

void node_tooltip(const RadixView& view, const ShownNode& shown) {
  const PrefixNode& node = shown.node;
  if (node.folded > 0 || node.blocks.empty()) return;
  const bool radix = view.state.kind == PrefixTreeKind::radix;
  std::string words = radix ? tr_format("node {}", value(node.id)) : tr_format("{} hashed blocks", node.blocks.size());
  words += fmt::format(": \"{}\"", preview_text(view.world(), node));
  words += "\n" + tr_format("{} tokens in {} blocks", node.num_tokens, node.blocks.size());
  words += "\n" + (radix ? tr_format("last used in step {}", node.used_step)
                         : tr_format("written in step {}", node.used_step));
  if (shown.gone) words += "\n" + std::string(tr("evicted in this step"));
  if (!node.found) words += "\n" + std::string(tr("what comes before it is gone, so nobody finds it"));
  if (node.locks > 0) words += "\n" + tr_format("{} locks: it cannot be evicted", node.locks);
  const std::string who = holders(view, node);
  words += "\n" + (who.empty() ? std::string(tr("no request holds it now")) : tr_format("held by {}", who));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(words.c_str());
  ImGui::EndTooltip();
}

void hover(RadixView& view, const Canvas& canvas) {
  if (!canvas.hovered) return;
  const Point at = mouse();
  Target target;
  if (view.tree.contains(at)) {
    for (std::size_t i = view.state.nodes.size(); i-- > 1;) {
      if (!view.rect_of(i).contains(at)) continue;
      node_tooltip(view, view.state.nodes[i]);
      if (!view.state.nodes[i].gone) target = target_of(view.state.kind, view.state.nodes[i].node);
      break;
    }
  } else if (const auto hit = view.grid.hit(at)) {
    target = Target::block(hit->block);
  }
  if (target) view.context.selection.hovered = target;
  if (target && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) view.context.actions.select(target);
}

std::string_view why_empty(const Scene& scene) {
  if (scene.world().events == 0) return "The tree is drawn here once the run has made it. Press Space.";
  if (scene.trace().newest().prefix.queried_tokens > 0)
    return "The prefix cache holds nothing at this moment. Blocks join it once they are full: step on.";
  return "This run keeps no prefixes, so there is no tree. Choose scenario S05, or one whose prefix cache can be set "
         "to "
         "radix or hash, and run it.";
}

std::string meaning(const RadixPanelState& state) {
  if (state.nodes.size() == 1) return std::string(tr("it is empty: the first prompt will be its first node"));
  if (state.kind == PrefixTreeKind::hashes)
    return std::string(
        tr("blocks that are found by their hash, each behind the one that its tokens follow; bar: how new"));
  return std::string(tr("a node's tokens follow its parent's; thick line: many tokens; bar: how recently used"));
}

void draw_title(Painter& painter, const Rect& line, std::string_view title, std::string_view words) {
  const float width = painter.text(line, title, painter.theme().text, FontRole::strong);
  Rect rest = line;
  layout::cut_left(rest, width + painter.px(10));
  painter.text(rest, words, painter.theme().dim, FontRole::small);
}

/// How much is not in the view, and how to get there.
void draw_outside(PanelContext& context, Painter& painter, const Rect& tree, std::size_t outside, std::size_t all) {
  if (outside == 0) return;
  const std::string words = tr_format("… {} more of {} nodes: drag, or turn the wheel; 0 fits", outside, all);
  const float width = painter.measure(FontRole::small, words) + painter.px(16), height = painter.px(20);
  const Rect plate{tree.right() - width, tree.bottom() - height, width, height};
  painter.fill(plate, painter.theme().raised, 5);
  painter.text(plate, words, painter.theme().text, FontRole::small, Align::centre);
  context.ui.registry.add_rect("tree_outside", "text", words, std::to_string(outside), 0, screen_rect(plate));
}

}  // namespace

Target target_of(PrefixTreeKind kind, const PrefixNode& node) {
  if (node.folded > 0 || node.blocks.empty()) return {};
  return kind == PrefixTreeKind::radix ? Target::node(node.id) : Target::block(value(node.blocks.front()));
}

void RadixPanelState::actual_size() {
  user_view = true;
  view = {1, {kMargin, kMargin}};
}

std::optional<Target> neighbour(const RadixPanelState& state, const Target& selected, TreeMove move) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < state.nodes.size(); ++i)
    if (!state.nodes[i].gone && target_of(state.kind, state.nodes[i].node) == selected) at = i;
  const auto usable = [&](std::size_t i) {
    return i > 0 && i < state.nodes.size() && !state.nodes[i].gone && target_of(state.kind, state.nodes[i].node);
  };
  std::size_t next = 0;
  if (at == 0 || move == TreeMove::next)
    next = at + 1;
  else if (move == TreeMove::previous)
    next = at - 1;
  else if (move == TreeMove::parent)
    next = state.nodes[at].node.parent;
  else if (at + 1 < state.nodes.size() && state.nodes[at + 1].node.parent == at)
    next = at + 1;
  if (!usable(next)) return std::nullopt;
  return target_of(state.kind, state.nodes[next].node);
}

void draw_radix_panel(PanelContext& context, RadixPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "radix", "", dock, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!panel.visible()) return;
  const World& world = context.scene.world();
  Rect rest = room_left();
  layout::cut_top(rest, context.px(kTitle));
  const Rect pool_room = layout::cut_bottom(rest, std::min(rest.height * 0.36F, context.px(190)));
  follow(context, state, rest);
  if (state.kind == PrefixTreeKind::none) return empty_state(context, "radix_empty", why_empty(context.scene));
  const Rect room = room_left();
  const Canvas canvas = kvarium::ui::canvas(context.ui, "radix_canvas", {room.width, room.height});
  Painter painter(*canvas.list, context.ui);
  interact(context, state, canvas, rest);
  Rect pool = pool_room;
  const Rect pool_title = layout::cut_top(pool, context.px(kTitle));
  const float time = state.tween.progress(context.scene.seconds);
  RadixView view{context,
                 painter,
                 state,
                 canvas.id,
                 rest,
                 pool,
                 layout::block_grid(static_cast<std::uint32_t>(world.blocks.size()), 0, pool, context.ui.scale()),
                 view_now(state, time),
                 time,
                 {},
                 nodes_of_blocks(world)};
  reveal(state, view);
  view.view = view_now(state, time);
  hover(view, canvas);
  view.lit = lit_blocks(world, context.selection.lit());
  const bool radix = state.kind == PrefixTreeKind::radix;
  draw_title(painter, {room.x, room.y, room.width, context.px(kTitle)},
             radix ? tr("The radix tree") : tr("Chains of hashed blocks"), meaning(state));
  const std::size_t outside = draw_tree(view);
  draw_title(painter, pool_title, tr("The same pool"),
             radix ? tr("n4: node 4 holds the block; nodes come and go, K and V stay where they are")
                   : tr("point at a node to see its blocks"));
  draw_strip(view, state.texture);
  draw_outside(context, painter, rest, outside, state.nodes.size());
}

}  // namespace kvarium::ui
