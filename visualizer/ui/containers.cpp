// The controls of widgets.h that hold others: tabs, menus, panels, windows; and what divides or fills them.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/ui/control.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {

bool begin_tabs(Ui&, std::string_view id) {
  return ImGui::BeginTabBar(std::string(id).c_str(), ImGuiTabBarFlags_FittingPolicyScroll);
}
void end_tabs() { ImGui::EndTabBar(); }

bool begin_tab(Ui& ui, std::string_view id, std::string_view caption, bool select) {
  const std::string_view shown = tr(caption);
  const bool open = ImGui::BeginTabItem(label_of(shown, id).c_str(), nullptr,
                                        select ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
  ui.registry.add_last_item(id, shown, "tab", open ? "selected" : "");
  return open;
}
void end_tab() { ImGui::EndTabItem(); }

bool begin_menu(Ui& ui, std::string_view id, std::string_view caption) {
  const std::string_view shown = tr(caption);
  const std::string label = label_of(shown, id);
  ImGui::PushID(label.c_str());
  const unsigned item = ImGui::GetID("");  // what Dear ImGui calls the entry inside BeginMenu()
  ImGui::PopID();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float width =
      ImGui::CalcTextSize(shown.data(), shown.data() + shown.size()).x + ImGui::GetStyle().ItemSpacing.x;
  const ScreenRect rect{min.x, min.y, min.x + width, min.y + ImGui::GetFrameHeight()};
  const bool open_before = ImGui::IsPopupOpen(label.c_str());
  if (open_before) ui.registry.add_rect(id, "menu", shown, "open", item, rect);
  const bool open = ImGui::BeginMenu(label.c_str());
  if (!open_before && !open) ui.registry.add_last_item(id, shown, "menu", {});
  return open;
}
void end_menu() { ImGui::EndMenu(); }

bool menu_item(Ui& ui, std::string_view id, std::string_view caption, bool checked, const Look& look) {
  const Control control(ui, id, look);
  const std::string_view shown = tr(caption);
  const std::string key = ui.shortcuts.key_name(look.shortcut);
  const bool pressed = ImGui::MenuItem(label_of(shown, id).c_str(), key.empty() ? nullptr : key.c_str(), checked);
  control.record(shown, "menu item", checked ? "on" : "");
  return pressed;
}

bool begin_panel(Ui& ui, std::string_view id, std::string_view title, const ImVec2& min, const ImVec2& max,
                 ImGuiWindowFlags flags) {
  ImGui::SetNextWindowPos(min);
  ImGui::SetNextWindowSize(ImVec2(std::max(max.x - min.x, 1.0F), std::max(max.y - min.y, 1.0F)));
  constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
  const bool visible = ImGui::Begin(label_of("", id).c_str(), nullptr, flags | kFixed);
  const std::string_view shown = tr(title);
  ui.registry.add_window(id, "panel", shown);
  if (visible && !shown.empty()) {
    const WithFont strong(ui.fonts(), FontRole::strong);
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
  }
  return visible;
}
void end_panel() { ImGui::End(); }

bool begin_floating(Ui& ui, std::string_view id, std::string_view title, bool& open, const ImVec2& size) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 room(std::min(ui.px(size.x), screen.x * 0.9F), std::min(ui.px(size.y), screen.y * 0.9F));
  ImGui::SetNextWindowSize(room, ImGuiCond_Appearing);
  ImGui::SetNextWindowPos(ImVec2((screen.x - room.x) / 2, (screen.y - room.y) / 2), ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  const std::string_view shown = tr(title);
  const bool visible =
      ImGui::Begin(label_of(shown, id).c_str(), &open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  ui.registry.add_window(id, "window", shown);
  return visible;
}
void end_floating() { ImGui::End(); }

bool splitter(Ui& ui, std::string_view id, const ImVec2& min, const ImVec2& max, bool vertical, float& size, float low,
              float high) {
  ImGuiWindow& window = *ImGui::GetCurrentWindow();
  const ImVec2 cursor = ImGui::GetCursorScreenPos(), extent = window.DC.CursorMaxPos;
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(label_of("", id).c_str(), ImVec2(max.x - min.x, max.y - min.y));
  const bool held = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (held || hovered) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, with_alpha(ui.theme().accent, held ? 0.8F : 0.4F));
  }
  const float before = size;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (held) size = std::clamp(size + (vertical ? moved.x : moved.y) / ui.scale(), low, high);
  ui.registry.add_last_item(id, id, "splitter", fmt::format("{:.0f}", size));
  ImGui::SetCursorScreenPos(cursor);
  window.DC.CursorMaxPos = extent;  // the bar is no content: it makes nothing scroll
  return size != before;
}

Canvas canvas(Ui& ui, std::string_view id, const ImVec2& size) {
  const ImVec2 room(std::max(size.x, 1.0F), std::max(size.y, 1.0F));
  const ImVec2 min = ImGui::GetCursorScreenPos();
  compat::overlappable([&] {
    return ImGui::InvisibleButton(
        label_of("", id).c_str(), room,
        ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  });
  ui.registry.add_last_item(id, id, "canvas", {});
  return {ImGui::GetWindowDrawList(),
          min,
          ImVec2(min.x + room.x, min.y + room.y),
          ImGui::GetItemID(),
          ImGui::IsItemHovered(),
          ImGui::IsItemActive()};
}

}  // namespace kvarium::ui
