// The theme as Dear ImGui's style.

#include "visualizer/platform/im_compat.h"
#include "visualizer/ui/theme.h"

namespace kvarium::ui {
namespace {

void set_sizes(ImGuiStyle& style) {
  style.WindowPadding = ImVec2(12, 12);
  style.WindowRounding = 0;  // panels fill the window side by side
  style.WindowBorderSize = 1;
  style.ChildRounding = 8;
  style.PopupRounding = 6;
  style.FrameRounding = 6;
  style.GrabRounding = 6;
  style.TabRounding = 6;
  style.ScrollbarRounding = 6;
  style.FramePadding = ImVec2(10, 5);
  style.ItemSpacing = ImVec2(8, 8);
  style.ItemInnerSpacing = ImVec2(8, 4);
  style.CellPadding = ImVec2(8, 4);
  style.ScrollbarSize = 12;
  style.GrabMinSize = 14;
  style.FrameBorderSize = 0;
  style.IndentSpacing = 18;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.DisabledAlpha = 0.55F;
  style.WindowMinSize = ImVec2(1, 1);
}

void set_surfaces(const Theme& theme, ImVec4* colours) {
  const auto set = [colours](ImGuiCol slot, Colour colour) { colours[slot] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.dim);
  set(ImGuiCol_WindowBg, theme.panel);
  set(ImGuiCol_ChildBg, with_alpha(theme.panel, 0));
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Border, theme.line);
  set(ImGuiCol_BorderShadow, with_alpha(theme.line, 0));
  set(ImGuiCol_MenuBarBg, theme.background);
  set(ImGuiCol_TitleBg, theme.background);
  set(ImGuiCol_TitleBgActive, theme.raised);
  set(ImGuiCol_TitleBgCollapsed, theme.background);
  set(ImGuiCol_ScrollbarBg, with_alpha(theme.panel, 0));
  set(ImGuiCol_ScrollbarGrab, theme.line);
  set(ImGuiCol_ScrollbarGrabHovered, theme.outline);
  set(ImGuiCol_ScrollbarGrabActive, theme.outline);
  set(ImGuiCol_Separator, theme.line);
  set(ImGuiCol_SeparatorHovered, theme.accent);
  set(ImGuiCol_SeparatorActive, theme.accent);
  set(ImGuiCol_TableHeaderBg, theme.raised);
  set(ImGuiCol_TableBorderStrong, theme.line);
  set(ImGuiCol_TableBorderLight, theme.grid);
  set(ImGuiCol_TableRowBg, with_alpha(theme.panel, 0));
  set(ImGuiCol_TableRowBgAlt, theme.background);
  set(ImGuiCol_ModalWindowDimBg, with_alpha(theme.background, 0.6F));
}

void set_controls(const Theme& theme, ImVec4* colours) {
  const auto set = [colours](ImGuiCol slot, Colour colour) { colours[slot] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_FrameBg, theme.raised);
  set(ImGuiCol_FrameBgHovered, theme.hovered);
  set(ImGuiCol_FrameBgActive, theme.pressed);
  set(ImGuiCol_Button, theme.raised);
  set(ImGuiCol_ButtonHovered, theme.hovered);
  set(ImGuiCol_ButtonActive, theme.pressed);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.accent);
  set(ImGuiCol_SliderGrabActive, theme.accent);
  set(ImGuiCol_Header, theme.selected);
  set(ImGuiCol_HeaderHovered, theme.hovered);
  set(ImGuiCol_HeaderActive, theme.pressed);
  set(ImGuiCol_Tab, with_alpha(theme.panel, 0));
  set(ImGuiCol_TabHovered, theme.hovered);
  set(compat::kSelectedTab, theme.selected);
  set(compat::kDimTab, with_alpha(theme.panel, 0));
  set(compat::kDimSelectedTab, theme.selected);
  set(ImGuiCol_PlotLines, theme.accent);
  set(ImGuiCol_PlotHistogram, theme.accent);
  set(ImGuiCol_TextSelectedBg, with_alpha(theme.accent, 0.35F));
  set(compat::kNavHighlight, theme.accent);
  set(ImGuiCol_ResizeGrip, theme.line);
  set(ImGuiCol_ResizeGripHovered, theme.accent);
  set(ImGuiCol_ResizeGripActive, theme.accent);
}

}  // namespace

void apply_style(const Theme& theme, float scale) {
  ImGuiStyle style;  // from the defaults each time: ScaleAllSizes twice on one style would scale twice
  set_sizes(style);
  set_surfaces(theme, style.Colors);
  set_controls(theme, style.Colors);
  style.ScaleAllSizes(scale);
  style.WindowMinSize = ImVec2(1, 1);  // rounded down to 0 at a scale below 1, which Dear ImGui refuses
  ImGui::GetStyle() = style;
}

}  // namespace kvarium::ui
