// The inspector's tab Why?: one sentence for each thing that can be asked of the selection.

#include "core/explain/why.h"
#include "core/words/words.h"
#include "visualizer/panels/inspector_panel.h"

namespace kvarium::ui {
namespace {

void add(std::vector<std::string>& lines, std::string sentence) {
  if (!sentence.empty()) lines.push_back(std::move(sentence));
}

/// Of a block: the request's text that it holds, if a request holds it, and its last eviction.
std::vector<std::string> explain_block_target(const Trace& trace, const Resolved& at, std::size_t position) {
  std::vector<std::string> lines;
  if (at.request && at.logical) lines = explain_block(trace, *at.request, *at.logical, position);
  if (at.block) add(lines, why_evicted(trace, BlockId{*at.block}, position));
  if (lines.empty() && at.block)
    lines.push_back(tr_format("Block {} is held by no request, and was never evicted.", *at.block));
  return lines;
}

std::vector<std::string> explain_target(const Scene& scene, const Target& target) {
  const Resolved at = resolve(scene.world(), target);
  const std::size_t position = scene.player.position();
  if (target.kind == Target::Kind::node) {
    const std::string removed = why_removed(scene.trace(), NodeId{static_cast<std::uint32_t>(target.number)}, position);
    return {removed.empty() ? tr_format("Node {} was never evicted.", target.number) : removed};
  }
  if (target.kind == Target::Kind::request && at.request) return explain(scene.trace(), *at.request, position);
  return explain_block_target(scene.trace(), at, position);
}

}  // namespace

void draw_why(PanelContext& context, WhyState& state) {
  const Scene& scene = context.scene;
  // What is selected, not what is hovered: an explanation walks through the trace.
  Target target = context.selection.selected;
  if (!target && !scene.world().requests.empty()) target = Target::of_request(RequestId{0});
  if (!target) {
    return empty_state(context, "why_empty",
                       "Select a request or a block: why it hit the prefix cache or not, why it was evicted.");
  }
  const bool same = state.target == target && state.position == scene.player.position() &&
                    state.events == scene.trace().size() && state.trace == &scene.trace();
  if (!same)
    state = {target, scene.player.position(), scene.trace().size(), &scene.trace(), explain_target(scene, target)};
  for (std::size_t i = 0; i < state.lines.size(); ++i) {
    wrapped_text(context.ui, "why/" + std::to_string(i), state.lines[i]);
    ImGui::Spacing();
  }
}

}  // namespace kvarium::ui
