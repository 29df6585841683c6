#include "visualizer/platform/host.h"

#include <algorithm>
#include <utility>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {

Host::Host() : context_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the program keeps its own settings
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

Host::~Host() {
  destroy_ui();
  ImGui::DestroyContext(context_);
}

void Host::make_ui(TextureBackend& backend) { ui_.emplace(backend); }

void Host::destroy_ui() {
  draw_ = {};
  after_frame_.clear();
  ui_.reset();
}

void Host::frame(const ScriptedInput* script) {
  if (ui_->prepare_frame()) upload_fonts();
  begin_frame();
  ImGuiIO& io = ImGui::GetIO();
  if (script != nullptr) {
    inject(*script);
    io.DeltaTime = 1.0F / 60;  // scripts see the same time on every machine
  }
  // two frames at one tick of a coarse clock, or one after a long sleep: no animation stands still or leaps
  io.DeltaTime = std::clamp(io.DeltaTime, 1e-4F, 0.1F);
  ImGui::NewFrame();
  ui_->registry.begin_frame();
  ui_->shortcuts.dispatch();
  if (draw_) draw_(*ui_);
  ImGui::Render();
  ui_->registry.end_frame();
  present();
  for (const auto& task : std::exchange(after_frame_, {})) task();
}

bool Host::press(const Chord& chord) { return !ui_->shortcuts.press(chord, ui_->keyboard_focus()); }

void Host::inject(const ScriptedInput& script) {
  ImGuiIO& io = ImGui::GetIO();
  compat::send_mouse_position(io, ImVec2(script.mouse_x, script.mouse_y));
  for (int button = 0; button < 3; ++button) compat::send_mouse_button(io, button, script.buttons[button]);
  if (script.wheel != 0) compat::send_wheel(io, 0, script.wheel);
  compat::send_modifiers(io, script.modifiers);
  for (const auto& [chord, down] : script.keys) {
    if (!down || press(chord)) compat::send_key(io, chord.key, down);
    const char character = down ? character_of(chord) : '\0';
    if (character != 0 && press({Key::none, {}, character}))
      io.AddInputCharacter(static_cast<unsigned char>(character));
  }
  if (!script.text.empty()) io.AddInputCharactersUTF8(script.text.c_str());
}

}  // namespace kvarium::ui
