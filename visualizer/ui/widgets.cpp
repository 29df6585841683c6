#include "visualizer/ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/words/words.h"
#include "visualizer/ui/control.h"

namespace kvarium::ui {
namespace {

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
  const float baseline = ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset;  // beside a button: in its middle
  const ImVec2 corner = ImGui::GetCursorScreenPos(), at(corner.x, corner.y + baseline);
  const bool pressed =
      ImGui::InvisibleButton(label_of("", id).c_str(), ImVec2(std::max(size.x, 1.0F), size.y + baseline));
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
    if (static_cast<int>(k) == chosen && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();  // arrows start here
  }
  ImGui::EndCombo();
  return changed;
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

}  // namespace kvarium::ui
