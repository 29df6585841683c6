#include "visualizer/panels/requests_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/draw/cell.h"

namespace kvarium::ui {
namespace {

constexpr float kRow = 38;

std::string numbers_of(const World& world, const RequestState& request) {
  const std::size_t generated = request.tokens.size() - request.prompt_tokens;
  std::string line = tr_format("{} + {} tokens", request.prompt_tokens, generated);
  if (world.block_size > 0) line += tr_format(" · {} blocks", request.table.size());
  if (request.preemptions > 0) line += tr_format(" · preempted {}x", request.preemptions);
  return line;
}

/// The selected node of the radix tree, if the request holds its blocks.
std::optional<NodeId> held_node(const World& world, const Selection& selection, const RequestState& request) {
  if (selection.selected.kind != Target::Kind::node) return std::nullopt;
  const Resolved at = resolve(world, selection.selected);
  if (!at.node || world.radix[index(*at.node)]->blocks.empty()) return std::nullopt;
  const BlockId block = world.radix[index(*at.node)]->blocks.front();
  const bool holds = std::find(request.table.begin(), request.table.end(), block) != request.table.end();
  return holds ? at.node : std::nullopt;
}

bool pointed_at(const Scene& scene, const Target& target) {
  return std::find(scene.pointed.begin(), scene.pointed.end(), target) != scene.pointed.end();
}

/// A thin bar: how much of what was asked for is there.
void draw_progress(Painter& painter, const layout::Rect& bar, const RequestState& request) {
  const float whole = static_cast<float>(request.prompt_tokens + request.max_new_tokens);
  const Colour hue = painter.theme().owner(value(request.id)).fill;
  painter.fill(bar, painter.theme().line, 1.5F);
  if (whole <= 0) return;
  const float done = std::min(1.0F, static_cast<float>(request.tokens.size()) / whole);
  painter.fill({bar.x, bar.y, bar.width * done, bar.height}, hue, 1.5F);
}

void draw_request(PanelContext& context, const RequestState& request) {
  const Target target = Target::of_request(request.id);
  const bool selected = context.selection.selected == target;
  const Pressable place = pressable(context, name_of(target), "row", tr_format("request {}", letter(request.id)),
                                    selected ? "selected" : show(request.status), context.px(kRow));
  const layout::Rect& area = place.area;
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  const Theme& theme = context.ui.theme();
  if (selected)
    painter.fill(area, theme.selected, 6);
  else if (place.hovered)
    painter.fill(area, theme.hovered, 6);
  const auto node = held_node(context.scene.world(), context.selection, request);
  if (node) painter.outline(area, theme.text, 1.5F, 6);
  if (pointed_at(context.scene, target)) painter.outline(area, theme.accent, 2, 6);
  if (place.hovered) context.selection.hovered = target;
  if (place.pressed) context.actions.select(selected ? Target{} : target);
  layout::Rect inside = area.inset(context.px(6));
  const layout::Rect chip = layout::cut_left(inside, context.px(26));
  draw_letter(painter, {chip.x, chip.y + context.px(1), chip.width, context.px(24)}, request.id,
              request.ended() ? 0.5F : 1);
  layout::cut_left(inside, context.px(8));
  draw_progress(painter, {inside.x, inside.bottom() - context.px(2), inside.width, context.px(3)}, request);
  layout::Rect line = layout::cut_top(inside, context.px(16));
  const std::string status(tr(show(request.status)));
  const float status_width = painter.measure(FontRole::small, status) + context.px(8);
  painter.text(layout::cut_right(line, status_width), status, theme.dim, FontRole::small, Align::right);
  std::string numbers = numbers_of(context.scene.world(), request);
  if (node) numbers += tr_format(" · holds node {}", value(*node));
  painter.text(line, numbers, theme.text, FontRole::small);
}

}  // namespace

void draw_requests_panel(PanelContext& context, const layout::Rect& dock) {
  Panel panel(context, "requests", "Requests", dock);
  if (!panel.visible()) return;
  const World& world = context.scene.world();
  if (world.requests.empty()) {
    return empty_state(context, "requests_empty", "No request has arrived yet.\nPress Space to go on.");
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(world.requests.size()), context.px(kRow) + ImGui::GetStyle().ItemSpacing.y);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      draw_request(context, *world.requests[static_cast<std::size_t>(i)]);
    }
  }
}

}  // namespace kvarium::ui
