#include "visualizer/panels/scene.h"

#include "core/words/words.h"

namespace kvarium::ui {

Panel::Panel(PanelContext& context, std::string_view id, std::string_view title, const layout::Rect& dock,
             ImGuiWindowFlags flags) {
  const layout::Rect card = dock.inset(context.px(3));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  visible_ = begin_panel(context.ui, id, title, {card.x, card.y}, {card.right(), card.bottom()}, flags);
  ImGui::PopStyleVar();
}

Panel::~Panel() { end_panel(); }

Pressable pressable(PanelContext& context, std::string_view id, std::string_view kind, std::string_view label,
                    std::string value, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(std::max(1.0F, ImGui::GetContentRegionAvail().x), std::max(1.0F, height));
  const bool pressed = ImGui::InvisibleButton(std::string(id).c_str(), size);
  context.ui.registry.add_last_item(id, label, kind, std::move(value));
  return {{at.x, at.y, size.x, size.y}, ImGui::IsItemHovered(), pressed};
}

layout::Rect room_left() {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  return {at.x, at.y, std::max(0.0F, size.x), std::max(0.0F, size.y)};
}

ScreenRect screen_rect(const layout::Rect& rect) { return {rect.x, rect.y, rect.right(), rect.bottom()}; }

layout::Rect layout_rect(const Canvas& canvas) {
  return {canvas.min.x, canvas.min.y, canvas.max.x - canvas.min.x, canvas.max.y - canvas.min.y};
}

layout::Point mouse() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {at.x, at.y};
}

void empty_state(PanelContext& context, std::string_view id, std::string_view words) {
  const layout::Rect room = room_left();
  const float width = std::min(room.width, context.px(420));
  const std::string shown(tr(words));
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str(), nullptr, false, width);
  ImGui::SetCursorScreenPos({room.x + (room.width - size.x) / 2, room.y + std::max(0.0F, (room.height - size.y) / 2)});
  ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().dim);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + size.x + 1);
  text(context.ui, id, shown);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

}  // namespace kvarium::ui
