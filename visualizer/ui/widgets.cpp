#include "visualizer/ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

/// "Caption###id": Dear ImGui shows what stands before the marks and takes its identity from what follows them.
std::string label_of(std::string_view caption, std::string_view id) {
  std::string label(caption);
  for (std::size_t at = label.find("##"); at != std::string::npos; at = label.find("##", at)) label.insert(at + 1, " ");
  return label.append("###").append(id);
}

void show_tooltip(Ui& ui, std::string_view words) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.px(360));
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  ui.registry.add_last_item("tooltip", words, "tooltip", {});
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::string tooltip_words(const Ui& ui, const Look& look) {
  if (!look.enabled) return std::string(tr(look.reason));
  std::string words(tr(look.tooltip));
  const std::string key = ui.shortcuts.key_name(look.shortcut);
  if (key.empty()) return words;
  return words.empty() ? key : fmt::format("{} ({})", words, key);
}

/// Disables what is drawn in its lifetime when the look says so; record() is called right after the widget.
class Control {
 public:
  Control(Ui& ui, std::string_view id, const Look& look) : ui_(ui), id_(id), look_(look) {
    if (!look.enabled) ImGui::BeginDisabled();
  }
  ~Control() {
    if (!look_.enabled) ImGui::EndDisabled();
  }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  void record(std::string_view label, std::string_view kind, std::string value = {}) const {
    ui_.registry.add_last_item(id_, label, kind, std::move(value), look_.enabled,
                               look_.enabled ? std::string_view() : tr(look_.reason));
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    const std::string words = tooltip_words(ui_, look_);
    if (!words.empty() && ui_.mouse_rests_on(ImGui::GetItemID())) show_tooltip(ui_, words);
  }

 private:
  Ui& ui_;
  std::string_view id_;
  Look look_;
};

class ButtonColours {
 public:
  ButtonColours(const Ui& ui, bool primary, bool active) {
    const Theme& theme = ui.theme();
    if (primary) {
      push(ImGuiCol_Button, theme.accent);
      push(ImGuiCol_ButtonHovered, mix(theme.accent, theme.on_accent, 0.12F));
      push(ImGuiCol_ButtonActive, mix(theme.accent, theme.on_accent, 0.2F));
      push(ImGuiCol_Text, theme.on_accent);
    } else if (active) {
      push(ImGuiCol_Button, theme.selected);
    }
  }
  ~ButtonColours() { ImGui::PopStyleColor(pushed_); }
  ButtonColours(const ButtonColours&) = delete;
  ButtonColours& operator=(const ButtonColours&) = delete;

 private:
  void push(ImGuiCol slot, Colour colour) {
    ImGui::PushStyleColor(slot, colour);
    ++pushed_;
  }
  int pushed_ = 0;
};

/// The line above a slider or field: its caption on the left, its value on the right.
void caption_line(const Ui& ui, std::string_view caption, std::string_view value, float width) {
  const float start = ImGui::GetCursorPosX();
  ImGui::TextUnformatted(caption.data(), caption.data() + caption.size());
  if (value.empty()) return;
  const float value_width = ImGui::CalcTextSize(value.data(), value.data() + value.size()).x;
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), start + width - value_width));
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme().accent);
  ImGui::TextUnformatted(value.data(), value.data() + value.size());
  ImGui::PopStyleColor();
}

/// Pixels that a field takes: the look's width, else all there is.
float field_width(const Ui& ui, const Look& look) {
  return look.width > 0 ? ui.px(look.width) : ImGui::GetContentRegionAvail().x;
}

int grow_string(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    auto& text = *static_cast<std::string*>(data->UserData);
    text.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = text.data();
  }
  return 0;
}

void words_in(Ui& ui, std::string_view id, std::string_view words, std::string_view kind) {
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  if (!id.empty()) ui.registry.add_last_item(id, words, kind, {});
}

}  // namespace

bool button(Ui& ui, std::string_view id, std::string_view caption, const Look& look) {
  const Control control(ui, id, look);
  const ButtonColours colours(ui, look.primary, look.active);
  const std::string_view shown = tr(caption);
  const bool pressed = ImGui::Button(label_of(shown, id).c_str(), ImVec2(ui.px(look.width), 0));
  control.record(shown, "button", look.active ? "on" : "");
  return pressed;
}

bool icon_button(Ui& ui, std::string_view id, Icon icon, std::string_view caption, const Look& look) {
  Look named = look;
  if (named.tooltip.empty()) named.tooltip = caption;
  const Control control(ui, id, named);
  const ButtonColours colours(ui, look.primary, look.active);
  const float side = look.width > 0 ? ui.px(look.width) : ImGui::GetFrameHeight();
  const bool pressed = ImGui::Button(label_of("", id).c_str(), ImVec2(side, side));
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  draw_icon(*ImGui::GetWindowDrawList(), icon, ImVec2((min.x + max.x) / 2, (min.y + max.y) / 2), side * 0.55F,
            ImGui::GetColorU32(ImGuiCol_Text));
  control.record(tr(caption), "button", look.active ? "on" : "");
  return pressed;
}

bool link(Ui& ui, std::string_view id, std::string_view caption, const Look& look) {
  const Control control(ui, id, look);
  const std::string_view shown = tr(caption);
  const char* const end = shown.data() + shown.size();
  const ImVec2 size = ImGui::CalcTextSize(shown.data(), end);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(label_of("", id).c_str(), ImVec2(std::max(size.x, 1.0F), size.y));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Colour colour = look.enabled ? ui.theme().accent : ui.theme().dim;
  list.AddText(at, colour, shown.data(), end);
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    list.AddLine(ImVec2(at.x, at.y + size.y), ImVec2(at.x + size.x, at.y + size.y), colour, ui.px(1));
  }
  control.record(shown, "link");
  return pressed;
}

bool chip(Ui& ui, std::string_view id, std::string_view caption, bool on, Colour swatch, const Look& look) {
  const Control control(ui, id, look);
  const WithFont small(ui.fonts(), FontRole::small);
  const std::string_view shown = tr(caption);
  const char* const end = shown.data() + shown.size();
  const float height = ImGui::GetFontSize() + ui.px(8), pad = ui.px(8);
  const float mark = swatch != 0 ? ui.px(10) + ui.px(6) : 0;
  const ImVec2 size(ImGui::CalcTextSize(shown.data(), end).x + 2 * pad + mark, height);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max(min.x + size.x, min.y + size.y);
  const bool pressed = ImGui::InvisibleButton(label_of("", id).c_str(), size);
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Colour fill = ImGui::IsItemHovered() ? theme.hovered : on ? theme.selected : theme.raised;
  list.AddRectFilled(min, max, ImGui::GetColorU32(fill), height / 2);
  if (on) list.AddRect(min, max, ImGui::GetColorU32(theme.accent), height / 2, 0, ui.px(1));
  if (swatch != 0) {
    const float top = min.y + (height - ui.px(10)) / 2;
    list.AddRectFilled(ImVec2(min.x + pad, top), ImVec2(min.x + pad + ui.px(10), top + ui.px(10)),
                       ImGui::GetColorU32(swatch), ui.px(2));
  }
  list.AddText(ImVec2(min.x + pad + mark, min.y + ui.px(4)), ImGui::GetColorU32(on ? theme.text : theme.dim),
               shown.data(), end);
  control.record(shown, "chip", on ? "on" : "off");
  return pressed;
}

bool row(Ui& ui, std::string_view id, std::string_view caption, bool selected, const Look& look) {
  const Control control(ui, id, look);
  const std::string_view shown = tr(caption);
  const bool pressed = ImGui::Selectable(label_of(shown, id).c_str(), selected);
  control.record(shown, "row", selected ? "selected" : "");
  return pressed;
}

bool checkbox(Ui& ui, std::string_view id, std::string_view caption, bool& on, const Look& look) {
  const Control control(ui, id, look);
  const std::string_view shown = tr(caption);
  const bool changed = ImGui::Checkbox(label_of(shown, id).c_str(), &on);
  control.record(shown, "checkbox", on ? "on" : "off");
  return changed;
}

bool slider(Ui& ui, std::string_view id, std::string_view caption, int& value, int low, int high, const Look& look) {
  const Control control(ui, id, look);
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), std::to_string(value), width);
  ImGui::SetNextItemWidth(width);
  const bool changed = ImGui::SliderInt(label_of("", id).c_str(), &value, low, high, "", ImGuiSliderFlags_AlwaysClamp);
  control.record(tr(caption), "slider", std::to_string(value));
  return changed;
}

bool slider(Ui& ui, std::string_view id, std::string_view caption, float& value, float low, float high,
            const std::string& shown, const Look& look) {
  const Control control(ui, id, look);
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), shown, width);
  ImGui::SetNextItemWidth(width);
  const bool changed =
      ImGui::SliderFloat(label_of("", id).c_str(), &value, low, high, "", ImGuiSliderFlags_AlwaysClamp);
  control.record(tr(caption), "slider", shown);
  return changed;
}

bool slider_stops(Ui& ui, std::string_view id, std::string_view caption, int& value, std::span<const int> stops,
                  const Look& look) {
  const Control control(ui, id, look);
  const auto distance = [&value](int stop) { return std::abs(static_cast<long long>(stop) - value); };
  const auto nearest =
      std::min_element(stops.begin(), stops.end(), [&distance](int a, int b) { return distance(a) < distance(b); });
  int position = static_cast<int>(nearest - stops.begin());
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), std::to_string(value), width);
  ImGui::SetNextItemWidth(width);
  const bool changed = ImGui::SliderInt(label_of("", id).c_str(), &position, 0, static_cast<int>(stops.size()) - 1, "",
                                        ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
  if (changed) value = stops[static_cast<std::size_t>(position)];
  control.record(tr(caption), "slider", std::to_string(value));
  return changed;
}

bool input_int(Ui& ui, std::string_view id, std::string_view caption, int& value, int low, int high, const Look& look) {
  const int before = value;
  const float side = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), {}, width);
  {
    const Control control(ui, id, look);
    ImGui::SetNextItemWidth(std::max(width - 2 * (side + gap), ui.px(30)));
    ImGui::InputInt(label_of("", id).c_str(), &value, 0, 0);
    control.record(tr(caption), "input", std::to_string(std::clamp(value, low, high)));
  }
  Look step = look;
  step.width = 0;
  ImGui::SameLine(0, gap);
  if (icon_button(ui, fmt::format("{}/less", id), Icon::minus, "One less", step) && value > low) --value;
  ImGui::SameLine(0, gap);
  if (icon_button(ui, fmt::format("{}/more", id), Icon::plus, "One more", step) && value < high) ++value;
  value = std::clamp(value, low, high);
  return value != before;
}

bool input_text(Ui& ui, std::string_view id, std::string_view caption, std::string& text, std::string_view hint,
                bool focus, const Look& look) {
  const Control control(ui, id, look);
  if (!caption.empty()) caption_line(ui, tr(caption), {}, 0);
  ImGui::SetNextItemWidth(field_width(ui, look));
  if (focus) ImGui::SetKeyboardFocusHere();
  const bool changed =
      ImGui::InputTextWithHint(label_of("", id).c_str(), std::string(tr(hint)).c_str(), text.data(),
                               text.capacity() + 1, ImGuiInputTextFlags_CallbackResize, grow_string, &text);
  control.record(caption.empty() ? tr(hint) : tr(caption), "input", text);
  return changed;
}

bool input_lines(Ui& ui, std::string_view id, std::string_view caption, std::string& text, float height,
                 const Look& look) {
  const Control control(ui, id, look);
  if (!caption.empty()) caption_line(ui, tr(caption), {}, 0);
  const bool changed = ImGui::InputTextMultiline(label_of("", id).c_str(), text.data(), text.capacity() + 1,
                                                 ImVec2(field_width(ui, look), ui.px(height)),
                                                 ImGuiInputTextFlags_CallbackResize, grow_string, &text);
  control.record(tr(caption), "input", text);
  return changed;
}

bool combo(Ui& ui, std::string_view id, std::string_view caption, int& chosen, std::span<const std::string> options,
           const Look& look) {
  bool changed = false;
  bool open = false;
  const bool valid = chosen >= 0 && static_cast<std::size_t>(chosen) < options.size();
  const std::string_view shown = valid ? tr(options[static_cast<std::size_t>(chosen)]) : std::string_view();
  {
    const Control control(ui, id, look);
    if (!caption.empty()) caption_line(ui, tr(caption), {}, 0);
    ImGui::SetNextItemWidth(field_width(ui, look));
    const unsigned item = ImGui::GetID(label_of("", id).c_str());
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + ImGui::CalcItemWidth(), min.y + ImGui::GetFrameHeight());
    open = ImGui::BeginCombo(label_of("", id).c_str(), std::string(shown).c_str());
    if (open) {  // the last item is now the list's window
      ui.registry.add_rect(id, "combo", tr(caption), std::string(shown), item, {min.x, min.y, max.x, max.y});
    } else {
      control.record(tr(caption), "combo", std::string(shown));
    }
  }
  if (!open) return false;
  for (std::size_t k = 0; k < options.size(); ++k) {
    if (row(ui, fmt::format("{}/{}", id, k), options[k], static_cast<int>(k) == chosen)) {
      changed = static_cast<int>(k) != chosen;
      chosen = static_cast<int>(k);
    }
  }
  ImGui::EndCombo();
  return changed;
}

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
  ui.registry.add_rect(id, "panel", shown, {}, 0, {min.x, min.y, max.x, max.y});
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
  const ImVec2 min = ImGui::GetWindowPos(), extent = ImGui::GetWindowSize();
  ui.registry.add_rect(id, "window", shown, {}, 0, {min.x, min.y, min.x + extent.x, min.y + extent.y});
  return visible;
}
void end_floating() { ImGui::End(); }

bool splitter(Ui& ui, std::string_view id, const ImVec2& min, const ImVec2& max, bool vertical, float& size, float low,
              float high) {
  const ImVec2 keep = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(label_of("", id).c_str(), ImVec2(max.x - min.x, max.y - min.y));
  const bool held = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ui.registry.add_last_item(id, id, "splitter", fmt::format("{:.0f}", size));
  if (held || hovered) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, with_alpha(ui.theme().accent, held ? 0.8F : 0.4F));
  }
  ImGui::SetCursorScreenPos(keep);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const float before = size;
  if (held) size = std::clamp(size + (vertical ? moved.x : moved.y) / ui.scale(), low, high);
  return size != before;
}

void text(Ui& ui, std::string_view id, std::string_view words) { words_in(ui, id, tr(words), "text"); }

void dim_text(Ui& ui, std::string_view id, std::string_view words) {
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme().dim);
  words_in(ui, id, tr(words), "text");
  ImGui::PopStyleColor();
}

void wrapped_text(Ui& ui, std::string_view id, std::string_view words) {
  ImGui::PushTextWrapPos(0);
  words_in(ui, id, tr(words), "text");
  ImGui::PopTextWrapPos();
}

void heading(Ui& ui, std::string_view id, std::string_view words) {
  const WithFont large(ui.fonts(), FontRole::heading);
  words_in(ui, id, tr(words), "heading");
}

void mono_text(Ui& ui, std::string_view id, std::string_view words) {
  const WithFont mono(ui.fonts(), FontRole::mono);
  words_in(ui, id, words, "text");
}

void tooltip(Ui& ui, std::string_view words) {
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) show_tooltip(ui, tr(words));
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
