#pragma once
// Dear ImGui 1.86 (Debian 12), 1.90 (Debian 13) and 1.92 under one name each. Version differences live here only.

#include <imgui.h>
#include <imgui_internal.h>
#ifdef KVARIUM_IMGUI_FREETYPE
#if __has_include(<imgui_freetype.h>)
#include <imgui_freetype.h>
#else
#include <misc/freetype/imgui_freetype.h>
#endif
#endif

#include <cstdint>
#include <cstring>

#include "visualizer/platform/key.h"
#include "visualizer/ui/texture.h"

namespace kvarium::ui::compat {

#if IMGUI_VERSION_NUM >= 18700
/// Dear ImGui's own name of the key; ImGuiKey_None for a key that it does not know.
inline ImGuiKey imgui_key(Key key) {
  const int code = static_cast<int>(key);
  const auto from = [code](ImGuiKey first, Key base) {
    return static_cast<ImGuiKey>(static_cast<int>(first) + code - static_cast<int>(base));
  };
  if (key >= Key::digit_0 && key <= Key::digit_9) return from(ImGuiKey_0, Key::digit_0);
  if (key >= Key::letter_a && key <= Key::letter_z) return from(ImGuiKey_A, Key::letter_a);
  if (key >= Key::f1 && key <= Key::f12) return from(ImGuiKey_F1, Key::f1);
  switch (key) {
    case Key::space:
      return ImGuiKey_Space;
    case Key::apostrophe:
      return ImGuiKey_Apostrophe;
    case Key::comma:
      return ImGuiKey_Comma;
    case Key::minus:
      return ImGuiKey_Minus;
    case Key::period:
      return ImGuiKey_Period;
    case Key::slash:
      return ImGuiKey_Slash;
    case Key::semicolon:
      return ImGuiKey_Semicolon;
    case Key::equal:
      return ImGuiKey_Equal;
    case Key::left_bracket:
      return ImGuiKey_LeftBracket;
    case Key::backslash:
      return ImGuiKey_Backslash;
    case Key::right_bracket:
      return ImGuiKey_RightBracket;
    case Key::escape:
      return ImGuiKey_Escape;
    case Key::enter:
      return ImGuiKey_Enter;
    case Key::tab:
      return ImGuiKey_Tab;
    case Key::backspace:
      return ImGuiKey_Backspace;
    case Key::insert:
      return ImGuiKey_Insert;
    case Key::del:
      return ImGuiKey_Delete;
    case Key::right:
      return ImGuiKey_RightArrow;
    case Key::left:
      return ImGuiKey_LeftArrow;
    case Key::down:
      return ImGuiKey_DownArrow;
    case Key::up:
      return ImGuiKey_UpArrow;
    case Key::page_up:
      return ImGuiKey_PageUp;
    case Key::page_down:
      return ImGuiKey_PageDown;
    case Key::home:
      return ImGuiKey_Home;
    case Key::end:
      return ImGuiKey_End;
    case Key::keypad_enter:
      return ImGuiKey_KeypadEnter;
    case Key::left_shift:
      return ImGuiKey_LeftShift;
    case Key::left_control:
      return ImGuiKey_LeftCtrl;
    case Key::left_alt:
      return ImGuiKey_LeftAlt;
    case Key::left_super:
      return ImGuiKey_LeftSuper;
    default:
      return ImGuiKey_None;
  }
}
#endif

/// Tells 1.86 which of our key codes are its navigation and editing keys; later versions know by themselves.
inline void init_keys([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM < 18700
  const auto map = [&io](ImGuiKey theirs, Key ours) { io.KeyMap[theirs] = static_cast<int>(ours); };
  const auto letter = [&map](ImGuiKey theirs, char name) { map(theirs, us_key_of(name).key); };
  map(ImGuiKey_Tab, Key::tab);
  map(ImGuiKey_LeftArrow, Key::left);
  map(ImGuiKey_RightArrow, Key::right);
  map(ImGuiKey_UpArrow, Key::up);
  map(ImGuiKey_DownArrow, Key::down);
  map(ImGuiKey_PageUp, Key::page_up);
  map(ImGuiKey_PageDown, Key::page_down);
  map(ImGuiKey_Home, Key::home);
  map(ImGuiKey_End, Key::end);
  map(ImGuiKey_Insert, Key::insert);
  map(ImGuiKey_Delete, Key::del);
  map(ImGuiKey_Backspace, Key::backspace);
  map(ImGuiKey_Space, Key::space);
  map(ImGuiKey_Enter, Key::enter);
  map(ImGuiKey_Escape, Key::escape);
  map(ImGuiKey_KeyPadEnter, Key::keypad_enter);
  letter(ImGuiKey_A, 'a');
  letter(ImGuiKey_C, 'c');
  letter(ImGuiKey_V, 'v');
  letter(ImGuiKey_X, 'x');
  letter(ImGuiKey_Y, 'y');
  letter(ImGuiKey_Z, 'z');
#endif
}

/// One key going down or up.
inline void send_key(ImGuiIO& io, Key key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  if (const ImGuiKey theirs = imgui_key(key); theirs != ImGuiKey_None) io.AddKeyEvent(theirs, down);
#else
  io.KeysDown[static_cast<int>(key)] = down;
#endif
}

/// Whether Space went down in this frame.
inline bool space_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(ImGuiKey_Space, false);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Space), false);
#endif
}

/// Whether Enter went down in this frame.
inline bool enter_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false) ||
         ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_KeyPadEnter), false);
#endif
}

inline void send_modifiers(ImGuiIO& io, Modifiers modifiers) {
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, modifiers.shift);
  io.AddKeyEvent(ImGuiMod_Alt, modifiers.alt);
#elif IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_ModCtrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, modifiers.shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, modifiers.alt);
#else
  io.KeyCtrl = modifiers.ctrl;
  io.KeyShift = modifiers.shift;
  io.KeyAlt = modifiers.alt;
#endif
}

inline void send_mouse_position(ImGuiIO& io, ImVec2 position) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
#else
  io.MousePos = position;
#endif
}

inline void send_mouse_button(ImGuiIO& io, int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseButtonEvent(button, down);
#else
  io.MouseDown[button] = down;
#endif
}

inline void send_wheel(ImGuiIO& io, float horizontal, float vertical) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(horizontal, vertical);
#else
  io.MouseWheelH += horizontal;
  io.MouseWheel += vertical;
#endif
}

/// A texture's name as Dear ImGui passes it through (a pointer up to 1.91, a 64-bit number since).
inline ImTextureID texture_id(std::uintptr_t handle) {
  return (ImTextureID)(std::intptr_t)handle;  // NOLINT: a C cast is the one spelling that all versions take
}

inline std::uintptr_t texture_handle(ImTextureID id) {
  return (std::uintptr_t)id;  // NOLINT: see texture_id
}

/// For a back end of our own: makes the font atlas a texture. Up to 1.91 once, when the fonts were loaded; `old` (0:
/// none) goes. Returns its handle.
inline std::uintptr_t upload_fonts([[maybe_unused]] TextureBackend& backend, [[maybe_unused]] std::uintptr_t old) {
#if IMGUI_VERSION_NUM >= 19200
  return 0;  // glyphs come while they are used: see serve_textures
#else
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  Image image(width, height);
  std::memcpy(image.pixels.data(), pixels, image.pixels.size() * sizeof(Colour));
  if (old != 0) backend.destroy_texture(old);
  const std::uintptr_t texture = backend.create_texture(image, Filter::smooth);
  atlas.SetTexID(texture_id(texture));
  return texture;
#endif
}

/// For a back end of our own, after ImGui::Render(): from 1.92 on Dear ImGui asks for textures and their updates.
inline void serve_textures([[maybe_unused]] TextureBackend& backend) {
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantDestroy && texture->UnusedFrames > 0) {
      backend.destroy_texture(texture_handle(texture->GetTexID()));
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
    if (texture->Status != ImTextureStatus_WantCreate && texture->Status != ImTextureStatus_WantUpdates) continue;
    Image image(texture->Width, texture->Height);
    std::memcpy(image.pixels.data(), texture->GetPixels(), image.pixels.size() * sizeof(Colour));
    if (texture->Status == ImTextureStatus_WantCreate) {
      texture->SetTexID(texture_id(backend.create_texture(image, Filter::smooth)));
    } else {
      backend.update_texture(texture_handle(texture->GetTexID()), image, 0, image.height);
    }
    texture->SetStatus(ImTextureStatus_OK);
  }
#endif
}

/// Tells Dear ImGui what a back end of our own can do: more than 65,536 vertices a list, and textures on demand.
inline void announce_renderer(ImGuiIO& io) {
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
}

/// Gives back what serve_textures() made, before the context goes.
inline void release_textures() {
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
#endif
}

/// Lets later items in the same place take the mouse from the item `submit` draws (a canvas under its buttons).
template <typename Submit>
auto overlappable(Submit submit) {
#if IMGUI_VERSION_NUM >= 18970
  ImGui::SetNextItemAllowOverlap();
  return submit();
#else
  const auto result = submit();
  ImGui::SetItemAllowOverlap();
  return result;
#endif
}

/// A font at the size that it was loaded with.
inline void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, font->LegacySize);
#else
  ImGui::PushFont(font);
#endif
}

/// Whether the current font can draw the character at its current size.
inline bool has_glyph(unsigned int character) {
#if IMGUI_VERSION_NUM >= 19200
  return ImGui::GetFontBaked()->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
#else
  return ImGui::GetFont()->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
#endif
}

/// Draws glyphs with FreeType, lightly hinted, when the library was built with it: crisper than the built-in builder.
/// Returns whether it is used.
inline bool use_freetype([[maybe_unused]] ImFontAtlas& atlas) {
#ifndef KVARIUM_IMGUI_FREETYPE
  return false;
#elif IMGUI_VERSION_NUM >= 19200
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
  return true;
#else
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  return true;
#endif
}

#if IMGUI_VERSION_NUM >= 19090
constexpr ImGuiCol kSelectedTab = ImGuiCol_TabSelected;
constexpr ImGuiCol kDimTab = ImGuiCol_TabDimmed;
constexpr ImGuiCol kDimSelectedTab = ImGuiCol_TabDimmedSelected;
#else
constexpr ImGuiCol kSelectedTab = ImGuiCol_TabActive;
constexpr ImGuiCol kDimTab = ImGuiCol_TabUnfocused;
constexpr ImGuiCol kDimSelectedTab = ImGuiCol_TabUnfocusedActive;
#endif

#if IMGUI_VERSION_NUM >= 19140
constexpr ImGuiCol kNavHighlight = ImGuiCol_NavCursor;
#else
constexpr ImGuiCol kNavHighlight = ImGuiCol_NavHighlight;
#endif

}  // namespace kvarium::ui::compat
