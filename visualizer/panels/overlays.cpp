#include "visualizer/panels/overlays.h"

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

constexpr ImGuiWindowFlags kOverlay = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing;

void bring_to_front() {
  if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
}

}  // namespace

void draw_keys_sheet(PanelContext& context, bool& open) {
  if (!open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::Begin("###keys_sheet", nullptr, kOverlay);
  bring_to_front();
  heading(context.ui, "keys_title", "Keys");
  if (ImGui::BeginTable("keys_table", 4)) {
    for (const Shortcut& shortcut : context.ui.shortcuts.registered()) {
      ImGui::TableNextColumn();
      mono_text(context.ui, "", context.ui.shortcuts.key_name(shortcut.id) + "  ");
      ImGui::TableNextColumn();
      text(context.ui, "", std::string(tr(shortcut.help)) + "     ");
    }
    ImGui::EndTable();
  }
  ImGui::Spacing();
  if (button(context.ui, "close_keys", "Close")) open = false;
  ImGui::End();
}

void draw_toast(PanelContext& context, Toast& toast) {
  if (toast.words.empty()) return;
  if (!toast.is_error && context.scene.seconds > toast.until) {
    toast.words.clear();
    return;
  }
  if (!toast.is_error) context.ui.keep_moving();
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, context.px(92)}, ImGuiCond_Always, {0.5F, 0});
  const Theme& theme = context.ui.theme();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, toast.is_error ? theme.bad : theme.accent);
  ImGui::Begin("###toast", nullptr, kOverlay);
  bring_to_front();
  ImGui::PushTextWrapPos(context.px(720));
  text(context.ui, "toast", (toast.is_error ? "! " : "") + toast.words);
  ImGui::PopTextWrapPos();
  ImGui::SameLine(0, context.px(16));
  if (icon_button(context.ui, "close_toast", Icon::close, "Close")) toast.words.clear();
  ImGui::End();
  ImGui::PopStyleColor(2);
}

void draw_hint(PanelContext& context, const layout::Rect& below) {
  const std::string words(
      tr("Space plays and pauses. Left and right step. Point at anything to see its numbers. ? shows all keys."));
  const float width = ImGui::CalcTextSize(words.c_str()).x + context.px(32), height = context.px(34);
  const layout::Rect at{below.x + (below.width - width) / 2, below.bottom() - height - context.px(14), width, height};
  ImGui::SetNextWindowPos({at.x, at.y});
  ImGui::SetNextWindowSize({at.width, at.height});
  ImGui::Begin("###hint", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings);
  bring_to_front();
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  painter.fill(at, context.ui.theme().accent, 8);
  painter.text(at, words, context.ui.theme().on_accent, FontRole::body, Align::centre);
  context.ui.registry.add_rect("hint", "text", words, "", 0, screen_rect(at));
  ImGui::End();
}

}  // namespace kvarium::ui
