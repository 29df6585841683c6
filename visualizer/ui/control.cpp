#include "visualizer/ui/control.h"

#include <algorithm>

#include <fmt/format.h>

#include <utility>

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

std::string tooltip_words(const Ui& ui, const Look& look) {
  if (!look.enabled) return std::string(tr(look.reason));
  std::string words(tr(look.tooltip));
  const std::string key = ui.shortcuts.key_name(look.shortcut);
  if (key.empty()) return words;
  return words.empty() ? key : fmt::format("{} ({})", words, key);
}

}  // namespace

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

Control::Control(Ui& ui, std::string_view id, const Look& look) : ui_(ui), id_(id), look_(look) {
  if (!look.enabled) ImGui::BeginDisabled();
}

Control::~Control() {
  if (!look_.enabled) ImGui::EndDisabled();
}

void Control::record(std::string_view label, std::string_view kind, std::string value) const {
  ui_.registry.add_last_item(id_, label, kind, std::move(value), look_.enabled,
                             look_.enabled ? std::string_view() : tr(look_.reason));
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  const std::string words = tooltip_words(ui_, look_);
  if (!words.empty() && ui_.mouse_rests_on(ImGui::GetItemID())) show_tooltip(ui_, words);
}

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

float field_width(const Ui& ui, const Look& look) {
  return look.width > 0 ? ui.px(look.width) : ImGui::GetContentRegionAvail().x;
}

}  // namespace kvarium::ui
