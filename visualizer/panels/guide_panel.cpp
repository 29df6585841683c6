#include "visualizer/panels/guide_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/words/words.h"
#include "visualizer/draw/cell.h"

namespace kvarium::ui {
namespace {

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c)))
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

void paragraph(PanelContext& context, std::string_view id, const std::string& words, bool now) {
  ImGui::PushStyleColor(ImGuiCol_Text, now ? context.ui.theme().text : context.ui.theme().dim);
  wrapped_text(context.ui, id, words);
  ImGui::PopStyleColor();
  ImGui::Spacing();
}

void draw_verdict(PanelContext& context, const Asked& asked, const std::string& given) {
  const Theme& theme = context.ui.theme();
  const bool right = right_answer(asked, given);
  const std::string words =
      right ? tr_format("Right: {}.", asked.answer) : tr_format("You said {}. It is {}.", given, asked.answer);
  ImGui::PushStyleColor(ImGuiCol_Text, right ? theme.good : theme.warning);
  wrapped_text(context.ui, "verdict", words);
  ImGui::PopStyleColor();
  ImGui::Spacing();
}

/// A choice is clicked, or its letter typed; other answers are typed. The field has the keyboard from the start.
void ask(PanelContext& context, GuidePanelState& state, const Asked& asked) {
  const std::size_t position = context.scene.player.position();
  std::string given;
  for (std::size_t i = 0; i < asked.choices.size(); ++i) {
    const std::string caption = fmt::format("{}  {}", static_cast<char>('a' + i), asked.choices[i]);
    if (button(context.ui, fmt::format("choice/{}", i), caption)) given = asked.choices[i];
    if (i + 1 < asked.choices.size()) ImGui::SameLine();
  }
  const bool focus = state.asked_position != position;
  state.asked_position = position;
  if (focus) state.typed.clear();
  input_text(context.ui, "answer", "", state.typed, asked.choices.empty() ? "your answer" : "or type its letter", focus,
             {.width = 150});
  const bool entered = ImGui::IsItemDeactivated() && compat::enter_pressed();
  if (ImGui::IsItemActive() && compat::space_pressed() && state.typed.find_first_not_of(' ') == std::string::npos) {
    state.typed.clear();
    context.actions.toggle_play();
  }
  ImGui::SameLine();
  const Look look{.enabled = !state.typed.empty(), .reason = "Type an answer first, or press Space to see it"};
  if (button(context.ui, "give_answer", "Answer", look) || (entered && !state.typed.empty())) given = state.typed;
  if (given.empty()) return;
  context.actions.answer(given);
  state.typed.clear();
}

/// The words of a lesson up to now, the newest bright.
void draw_words(PanelContext& context, GuidePanelState& state) {
  const Scene& scene = context.scene;
  const std::size_t position = scene.player.position();
  std::size_t shown = 0;
  for (const TimelineMark& mark : scene.timeline.marks()) {
    if (mark.event >= position) break;
    if (mark.mark != Mark::said && mark.mark != Mark::asked) continue;
    const Event& event = scene.trace()[mark.event];
    const std::string id = fmt::format("words/{}", shown++);
    if (const auto* said = std::get_if<Said>(&event)) {
      paragraph(context, id, said->text, scene.world().said == *said);
    } else if (const auto* asked = std::get_if<Asked>(&event)) {
      const bool now = scene.world().asked == *asked;
      paragraph(context, id, asked->question, now);
      const auto given = state.answers.find(mark.event + 1);  // by the moment right after the question
      if (given != state.answers.end()) {
        draw_verdict(context, *asked, given->second);
      } else if (now) {
        ask(context, state, *asked);
      }
    }
  }
}

void draw_lesson(PanelContext& context, GuidePanelState& state) {
  const Scene& scene = context.scene;
  const LessonProgress progress = lesson_progress(scene.timeline, scene.player.position());
  const float hint = ImGui::GetTextLineHeightWithSpacing() + context.px(8);
  ImGui::BeginChild("words", {0, std::max(context.px(30), ImGui::GetContentRegionAvail().y - hint)});
  draw_words(context, state);
  if (state.last_position != scene.player.position()) state.frames_to_scroll = 3;
  if (state.frames_to_scroll > 0) {
    --state.frames_to_scroll;
    context.ui.keep_moving();
    ImGui::SetScrollHereY(1);
  }
  state.last_position = scene.player.position();
  ImGui::EndChild();
  const bool waits = waits_for_answer(scene.world(), state, scene.player.position());
  const bool done = progress.said >= progress.all && !scene.running;
  ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().accent);
  text(context.ui, "space_hint",
       done            ? "The lesson is over."
       : scene.playing ? "..."
       : waits         ? "Enter: answer. Space: show it"
                       : "Space: go on");
  ImGui::PopStyleColor();
  ImGui::SameLine();
  const std::string count = fmt::format("{} / {}", progress.said, progress.all);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       std::max(0.0F, ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(count.c_str()).x));
  dim_text(context.ui, "progress", count);
}

/// Prompt and answer of a request as running text.
void draw_text_of(PanelContext& context, const RequestState& request) {
  constexpr std::size_t kMostTokens = 400;
  const World& world = context.scene.world();
  std::string prompt, written;
  const std::size_t first = request.tokens.size() > kMostTokens ? request.tokens.size() - kMostTokens : 0;
  for (std::size_t i = first; i < request.tokens.size(); ++i) {
    (i < request.prompt_tokens ? prompt : written) += world.text_of(request.tokens[i]);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  draw_letter(painter, {at.x, at.y, context.px(22), context.px(20)}, request.id);
  ImGui::Indent(context.px(30));
  paragraph(context, fmt::format("prompt/{}", letter(request.id)), (first > 0 ? "…" : "") + prompt, false);
  if (!written.empty()) paragraph(context, fmt::format("written/{}", letter(request.id)), written, true);
  ImGui::Unindent(context.px(30));
}

void draw_summary(PanelContext& context) {
  const Scene& scene = context.scene;
  if (scene.world().events == 0 && scene.summary.empty()) {
    return empty_state(context, "guide_empty",
                       "Choose a scenario at the left and press Run, or open a lesson from the menu.");
  }
  paragraph(context, "summary", scene.summary, true);
  ImGui::Spacing();
  std::size_t shown = 0;
  for (const auto& request : scene.world().requests) {
    if (++shown > 8) break;
    draw_text_of(context, *request);
  }
  const WithFont small(context.ui.fonts(), FontRole::small);
  for (std::size_t i = 0; i < scene.model_facts.size(); ++i)
    paragraph(context, fmt::format("fact/{}", i), scene.model_facts[i], false);
}

}  // namespace

LessonProgress lesson_progress(const Timeline& timeline, std::size_t position) {
  LessonProgress progress;
  for (const TimelineMark& mark : timeline.marks()) {
    if (mark.mark != Mark::said && mark.mark != Mark::asked) continue;
    ++progress.all;
    if (mark.event < position) ++progress.said;
  }
  return progress;
}

bool waits_for_answer(const World& world, const GuidePanelState& state, std::size_t position) {
  return world.asked && state.answers.find(position) == state.answers.end();
}

bool right_answer(const Asked& asked, std::string_view given) {
  if (folded(given) == folded(asked.answer)) return true;
  const std::string word = folded(given);
  if (word.size() != 1) return false;
  const std::size_t choice = static_cast<std::size_t>(word[0] - 'a');
  return choice < asked.choices.size() && folded(asked.choices[choice]) == folded(asked.answer);
}

void draw_guide_panel(PanelContext& context, GuidePanelState& state, const layout::Rect& dock) {
  const World& world = context.scene.world();
  const std::string title = world.lesson_title.empty() ? context.scene.title : world.lesson_title;
  Panel panel(context, "guide", title.empty() ? "What you see" : title, dock);
  if (!panel.visible()) return;
  if (world.lesson_title.empty())
    draw_summary(context);
  else
    draw_lesson(context, state);
}

}  // namespace kvarium::ui
