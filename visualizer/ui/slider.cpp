// Sliders: caption and value above, a slim track with a round knob below, small marks where only some values exist.

#include <algorithm>
#include <cstdlib>

#include "core/words/words.h"
#include "visualizer/ui/control.h"

namespace kvarium::ui {
namespace {

constexpr int kMostMarks = 12;  ///< more would touch each other

/// Hides Dear ImGui's own drawing of the slider while it lives, and keeps it low.
class InvisibleSlider {
 public:
  explicit InvisibleSlider(const Ui& ui) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(10), ui.px(1)));
    for (const ImGuiCol slot : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_SliderGrab,
                                ImGuiCol_SliderGrabActive}) {
      ImGui::PushStyleColor(slot, Colour{0});
    }
  }
  ~InvisibleSlider() {
    ImGui::PopStyleColor(5);
    ImGui::PopStyleVar();
  }
  InvisibleSlider(const InvisibleSlider&) = delete;
  InvisibleSlider& operator=(const InvisibleSlider&) = delete;
};

/// Where the middle of Dear ImGui's grab is: the knob must lie where the mouse takes it. `steps`: values of an int
/// slider less one, which has wide grabs; 0: a float slider.
struct Track {
  float left, right;  ///< of the knob's middle, at the lowest and highest value
  float y;
  float at(float t) const { return left + (right - left) * t; }
};

Track track_of_last_item(int steps) {
  constexpr float kPadding = 2;  // Dear ImGui's, which it does not scale
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const float room = max.x - min.x - 2 * kPadding;
  float grab = ImGui::GetStyle().GrabMinSize;
  if (steps > 0) grab = std::max(room / static_cast<float>(steps + 1), grab);
  grab = std::min(grab, room);
  return {min.x + kPadding + grab / 2, max.x - kPadding - grab / 2, (min.y + max.y) / 2};
}

/// Over the last item; `t`: the value's place in [0, 1].
void draw_track(const Ui& ui, float t, int steps) {
  const Track track = track_of_last_item(steps);
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = ui.px(2.5F), knob = track.at(std::clamp(t, 0.0F, 1.0F));
  const float left = ImGui::GetItemRectMin().x, right = ImGui::GetItemRectMax().x;
  const Colour accent = ImGui::GetColorU32(theme.accent), rest = ImGui::GetColorU32(theme.pressed);
  list.AddRectFilled(ImVec2(left, track.y - half), ImVec2(right, track.y + half), rest, half);
  list.AddRectFilled(ImVec2(left, track.y - half), ImVec2(knob, track.y + half), accent, half);
  if (steps > 0 && steps < kMostMarks) {
    for (int i = 0; i <= steps; ++i) {
      const float x = track.at(static_cast<float>(i) / static_cast<float>(steps));
      list.AddCircleFilled(ImVec2(x, track.y), ui.px(1.5F),
                           ImGui::GetColorU32(x <= knob ? theme.on_accent : theme.dim));
    }
  }
  const bool lively = ImGui::IsItemHovered() || ImGui::IsItemActive();
  list.AddCircleFilled(ImVec2(knob, track.y), ui.px(lively ? 8.0F : 7.0F), accent, 24);
  list.AddCircleFilled(ImVec2(knob, track.y), ui.px(3), ImGui::GetColorU32(theme.on_accent), 16);
}

/// `position` in [low, high]; `shown`: the value in words.
bool int_slider(Ui& ui, const Control& control, std::string_view id, std::string_view caption, int& position, int low,
                int high, const Look& look, ImGuiSliderFlags flags, const auto& shown) {
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), shown(), width);
  ImGui::SetNextItemWidth(width);
  bool changed = false;
  {
    const InvisibleSlider invisible(ui);
    changed =
        ImGui::SliderInt(label_of("", id).c_str(), &position, low, high, "", flags | ImGuiSliderFlags_AlwaysClamp);
  }
  const int steps = std::max(high - low, 1);
  draw_track(ui, static_cast<float>(position - low) / static_cast<float>(steps), steps);
  control.record(tr(caption), "slider", shown());
  return changed;
}

}  // namespace

bool slider(Ui& ui, std::string_view id, std::string_view caption, int& value, int low, int high, const Look& look) {
  const Control control(ui, id, look);
  return int_slider(ui, control, id, caption, value, low, high, look, 0, [&value] { return std::to_string(value); });
}

bool slider(Ui& ui, std::string_view id, std::string_view caption, float& value, float low, float high,
            const std::string& shown, const Look& look) {
  const Control control(ui, id, look);
  const float width = field_width(ui, look);
  caption_line(ui, tr(caption), shown, width);
  ImGui::SetNextItemWidth(width);
  bool changed = false;
  {
    const InvisibleSlider invisible(ui);
    changed = ImGui::SliderFloat(label_of("", id).c_str(), &value, low, high, "", ImGuiSliderFlags_AlwaysClamp);
  }
  draw_track(ui, (value - low) / (high - low), 0);
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
  const int before = position;
  int_slider(ui, control, id, caption, position, 0, static_cast<int>(stops.size()) - 1, look, ImGuiSliderFlags_NoInput,
             [&] { return std::to_string(position == before ? value : stops[static_cast<std::size_t>(position)]); });
  if (position == before) return false;
  value = stops[static_cast<std::size_t>(position)];
  return true;
}

}  // namespace kvarium::ui
