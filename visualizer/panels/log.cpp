// The Log tab: every event as a sentence. A click goes to the moment after it.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/panels/inspector_panel.h"

namespace kvarium::ui {
namespace {

constexpr std::size_t kMostFound = 2000;         // more rows would help nobody
constexpr std::size_t kSearchedInAFrame = 4000;  // events; keeps a frame below a few milliseconds

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

void search_on(PanelContext& context, LogState& state) {
  const Trace& trace = context.scene.trace();
  if (state.searched_for != state.search) {
    state.searched_for = state.search;
    state.searched = 0;
    state.world = World();
    state.found.clear();
  }
  const std::size_t end = std::min(trace.size(), state.searched + kSearchedInAFrame);
  for (; state.searched < end && state.found.size() < kMostFound; ++state.searched) {
    const Event& event = trace[state.searched];
    std::string sentence = describe(event, state.world);
    if (contains(sentence, state.search)) state.found.emplace_back(state.searched, std::move(sentence));
    fold(state.world, event);
  }
  if (state.searched < trace.size() && state.found.size() < kMostFound) context.ui.keep_moving();
}

void draw_line(PanelContext& context, std::size_t event, const std::string& sentence) {
  const std::size_t position = context.scene.player.position();
  const bool now = event + 1 == position, future = event >= position;
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const Pressable place = pressable(context, fmt::format("event/{}", event), "row", sentence,
                                    now      ? "now"
                                    : future ? "later"
                                             : "",
                                    height - ImGui::GetStyle().ItemSpacing.y);
  if (place.pressed) context.actions.jump(event + 1);
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  const Theme& theme = context.ui.theme();
  const layout::Rect& area = place.area;
  if (now)
    painter.fill(area, theme.selected, 3);
  else if (place.hovered)
    painter.fill(area, theme.hovered, 3);
  layout::Rect rest = area;
  painter.text(layout::cut_left(rest, context.px(44)), std::to_string(event + 1), theme.dim, FontRole::mono,
               Align::right);
  layout::cut_left(rest, context.px(10));
  painter.text(rest, sentence, future ? theme.dim : theme.text, FontRole::small);
  if (place.hovered && painter.measure(FontRole::small, sentence) > rest.width) tooltip(context.ui, sentence);
}

void draw_found(PanelContext& context, LogState& state) {
  search_on(context, state);
  dim_text(context.ui, "found", tr_format("{} found", state.found.size()));
  ImGui::BeginChild("found_room");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.found.size()), ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& [event, sentence] = state.found[static_cast<std::size_t>(i)];
      draw_line(context, event, sentence);
    }
  }
  ImGui::EndChild();
}

void draw_all(PanelContext& context, LogState& state) {
  ImGui::BeginChild("log_room");
  const Scene& scene = context.scene;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  if (state.last_position != scene.player.position()) {
    const float target = static_cast<float>(scene.player.position()) * line - ImGui::GetWindowHeight() / 2;
    ImGui::SetScrollY(std::max(0.0F, target));
  }
  state.last_position = scene.player.position();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(scene.trace().size()), line);
  while (clipper.Step()) {
    const auto first = static_cast<std::size_t>(clipper.DisplayStart),
               last = static_cast<std::size_t>(clipper.DisplayEnd);
    if (last - first > 1 && (first != state.first || last != state.last)) {
      state.sentences = describe(scene.trace(), first, last);
      state.first = first;
      state.last = last;
    }
    const bool kept = first >= state.first && last <= state.last;
    const std::vector<std::string> others = kept ? std::vector<std::string>() : describe(scene.trace(), first, last);
    for (std::size_t i = first; i < last; ++i)
      draw_line(context, i, kept ? state.sentences[i - state.first] : others[i - first]);
  }
  ImGui::EndChild();
}

}  // namespace

void LogState::forget() {
  first = last = 0;
  sentences.clear();
  searched_for.clear();
  searched = 0;
  found.clear();
  world = World();
  last_position = 0;
}

void draw_log(PanelContext& context, LogState& state) {
  if (context.scene.trace().empty()) {
    return empty_state(context, "log_empty",
                       "Everything that happens is listed here. Nothing has happened yet: press Run.");
  }
  input_text(context.ui, "log_search", "", state.search, "Search: a block, a token, \"preempted\" ...",
             std::exchange(state.focus_search, false));
  if (state.search.empty())
    draw_all(context, state);
  else
    draw_found(context, state);
}

}  // namespace kvarium::ui
