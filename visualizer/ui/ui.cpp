#include "visualizer/ui/ui.h"

#include <algorithm>
#include <utility>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {

void Ui::set_theme(ThemeName name) {
  style_changed_ = style_changed_ || name != theme_name_;
  theme_name_ = name;
}

void Ui::set_zoom(float zoom) {
  const float clamped = std::clamp(zoom, kMinZoom, kMaxZoom);
  if (clamped != zoom_) style_changed_ = fonts_changed_ = true;
  zoom_ = clamped;
}

void Ui::set_content_scale(float scale) {
  if (scale != content_scale_) style_changed_ = fonts_changed_ = true;
  content_scale_ = scale;
}

void Ui::set_glyphs(std::string text) {
  fonts_changed_ = fonts_changed_ || text != glyphs_;
  glyphs_ = std::move(text);
}

bool Ui::prepare_frame() {
  if (style_changed_) apply_style(theme(), scale());
  if (fonts_changed_) fonts_.load(scale(), glyphs_);
  if (style_changed_ || fonts_changed_) ++look_version_;
  style_changed_ = false;
  return std::exchange(fonts_changed_, false);
}

bool Ui::take_moving() { return std::exchange(moving_, false); }

bool Ui::mouse_rests_on(unsigned item) {
  constexpr double kRestSeconds = 0.35;
  const int frame = ImGui::GetFrameCount();
  if (item != hovered_item_ || frame > hovered_frame_ + 1) hovered_since_ = ImGui::GetTime();
  hovered_item_ = item;
  hovered_frame_ = frame;
  if (ImGui::GetTime() - hovered_since_ >= kRestSeconds) return true;
  keep_moving();  // so that the tooltip comes without further input
  return false;
}

KeyboardFocus Ui::keyboard_focus() const {
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  return {.typing = io.WantTextInput, .navigating = io.NavVisible || popup};
}

}  // namespace kvarium::ui
