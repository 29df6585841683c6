#include "visualizer/panels/inspector_panel.h"

#include <fmt/format.h>

#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/panels/object_text.h"

namespace kvarium::ui {
namespace {

void draw_row(PanelContext& context, const ObjectRow& row, std::size_t number) {
  const float column = context.px(148);
  const float left = ImGui::GetCursorPosX();
  dim_text(context.ui, "", row.name);
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(left + column, ImGui::GetCursorPosX()));
  const std::string id = fmt::format("object/{}", number);
  if (row.target && link(context.ui, id, row.value, {.tooltip = "Select it"})) context.actions.select(row.target);
  if (row.target) return;
  ImGui::PushTextWrapPos(0);
  mono_text(context.ui, id, row.value);
  ImGui::PopTextWrapPos();
}

/// The last cached token of the first request that runs: what is shown while nothing is chosen.
Target newest_token(const World& world) {
  for (const auto& request : world.requests) {
    if (request->status == RequestStatus::running && request->computed_tokens > 0 && !request->table.empty()) {
      return Target::token(request->id, request->computed_tokens - 1);
    }
  }
  return {};
}

/// One line a step: "13 / 8 = 1", "-> table[1] = 3", "-> 3 * 8 + 13 % 8 = 29".
void draw_arithmetic(PanelContext& context, const std::string& arithmetic) {
  if (arithmetic.empty()) return;
  static constexpr std::string_view kArrow = " -> ";
  const layout::Rect from = room_left();
  ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().accent);
  ImGui::PushTextWrapPos(0);
  std::size_t start = 0;
  for (std::size_t at = arithmetic.find(kArrow); at != std::string::npos; at = arithmetic.find(kArrow, at + 1)) {
    mono_text(context.ui, "", arithmetic.substr(start, at - start));
    start = at + 1;
  }
  mono_text(context.ui, "", arithmetic.substr(start));
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  const layout::Rect after = room_left();
  context.ui.registry.add_rect("arithmetic", "text", arithmetic, arithmetic, 0,
                               {from.x, from.y, from.right(), after.y});
  ImGui::Spacing();
}

void draw_object(PanelContext& context) {
  Target target = context.selection.lit();
  if (!target) {
    target = newest_token(context.scene.world());
    if (target) dim_text(context.ui, "object_newest", "The newest token; point at another.");
  }
  if (!target) {
    return empty_state(context, "object_empty",
                       "Point at a token, a block or a request: its numbers are shown here. A click keeps them.");
  }
  const ObjectText object = object_text(context.scene.world(), target);
  {
    const WithFont strong(context.ui.fonts(), FontRole::strong);
    wrapped_text(context.ui, "object_title", object.title);
  }
  ImGui::Spacing();
  draw_arithmetic(context, object.arithmetic);
  for (std::size_t i = 0; i < object.rows.size(); ++i) draw_row(context, object.rows[i], i);
}

void draw_text_twin(PanelContext& context) {
  const std::string twin = text_twin(context.scene.world());
  if (button(context.ui, "copy_twin", "Copy", {.tooltip = "Copy this text"})) context.actions.copy(twin);
  ImGui::BeginChild("twin_room", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  mono_text(context.ui, "twin", twin);
  ImGui::EndChild();
}

}  // namespace

void draw_inspector_panel(PanelContext& context, InspectorPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "inspector", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible() || !begin_tabs(context.ui, "inspector_tabs")) return;
  const auto tab = [&](std::string_view id, std::string_view caption, auto draw) {
    if (!begin_tab(context.ui, id, caption, state.select_tab == id)) return;
    ImGui::BeginChild(std::string(id).append("_room").c_str());
    draw();
    ImGui::EndChild();
    end_tab();
  };
  const std::string wanted = state.select_tab;
  tab("tab_object", "Object", [&] { draw_object(context); });
  tab("tab_why", "Why?", [&] { draw_why(context, state.why); });
  tab("tab_twin", "Text twin", [&] { draw_text_twin(context); });
  tab("tab_log", "Log", [&] { draw_log(context, state.log); });
  if (state.select_tab == wanted) state.select_tab.clear();
  end_tabs();
}

}  // namespace kvarium::ui
