#include "visualizer/panels/spec_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/speculation/rule_report.h"
#include "core/words/words.h"
#include "visualizer/panels/spec_view.h"

namespace kvarium::ui {
namespace {

constexpr float kRightShare = 0.37F, kCaches = 132, kGap = 12;  // of the width; logical pixels
constexpr std::uint64_t kDrawsAFrame = 2'000, kAllDraws = UINT64_MAX;
constexpr std::size_t kRoundsInText = 40, kPositionsInText = 64;

/// Fields of the scenario's form that are shown above the rounds.
struct Shown {
  std::string_view field;
  float width;  ///< logical pixels
};
constexpr Shown kShown[] = {{"proposer", 196}, {"draft_length", 150}, {"accepted", 118}, {"temperature", 118}};

void draw_form(SpecView& view, ScenarioForm& form) {
  PanelContext& context = view.context;
  const FormField* proposer = find_field(form, "proposer");
  if (proposer == nullptr) return;
  for (const Shown& shown : kShown) {
    FormField* field = find_field(form, shown.field);
    if (field == nullptr || (shown.field == "accepted" && proposer->text != "oracle")) continue;
    ImGui::BeginGroup();
    draw_field(context, *field, "spec/", shown.width);
    ImGui::EndGroup();
    ImGui::SameLine(0, context.px(kGap));
  }
  ImGui::BeginGroup();
  ImGui::Dummy({1, context.px(14)});
  const Look run{.tooltip = "Run the scenario with these values", .width = 74, .primary = true};
  if (button(context.ui, "spec_run", "Run", run)) context.actions.run_scenario();
  ImGui::EndGroup();
  if (form.error.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, view.theme().bad);
  wrapped_text(context.ui, "spec_error", form.error);
  ImGui::PopStyleColor();
}

/// What to do when there is no round to show.
void draw_empty(SpecView& view, const ScenarioForm& form) {
  PanelContext& context = view.context;
  const World& end = context.scene.trace().newest();
  if (context.scene.running) {
    return empty_state(context, "spec_empty", "The rounds are drawn here once the engine has made one.");
  }
  if (end.speculation.rounds > 0) {
    return empty_state(context, "spec_empty", "No round yet at this moment. Step on: Right, or Space to play.");
  }
  const bool can_choose = std::any_of(form.fields.begin(), form.fields.end(),
                                      [](const FormField& field) { return field.id == "proposer"; });
  if (button(context.ui, "spec_open", "Open scenario S06", {.tooltip = "An oracle guesses; see both caches roll back"}))
    context.actions.choose_scenario("S06");
  empty_state(context, "spec_empty",
              can_choose
                  ? "Nothing was guessed in this run. Choose a proposer above and press Run, or open scenario "
                    "S06: Tab leads to the button, Space presses it."
                  : "Nothing was guessed in this run. Open scenario S06, or your own prompt with a proposer: Tab "
                    "leads to the button, Space presses it.");
}

void draw_text_button(SpecView& view) {
  const Look look{.tooltip = "The same as text, to read and to copy", .shortcut = "spec_text"};
  if (button(view.context.ui, "spec_text_button", view.state.as_text ? "As a picture" : "As text", look)) {
    view.state.as_text = !view.state.as_text;
  }
}

void draw_as_text(SpecView& view) {
  const std::string words = spec_text(view.state, view.world(), view.context.selection.selected);
  draw_text_button(view);
  ImGui::SameLine();
  if (button(view.context.ui, "spec_copy", "Copy", {.tooltip = "Copy this text"})) view.context.actions.copy(words);
  ImGui::BeginChild("spec_text_room", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  mono_text(view.context.ui, "spec_text", words);
  ImGui::EndChild();
}

void draw_left(SpecView& view, const ScenarioForm& form, float width, float height) {
  ImGui::BeginChild("spec_left", {width, height}, false, ImGuiWindowFlags_NoScrollbar);
  ImGui::AlignTextToFramePadding();
  spec_title(view, "spec_rounds_title", "Rounds of guesses, newest first");
  ImGui::SameLine(width - view.px(96));
  draw_text_button(view);
  const float caches = std::min(view.px(kCaches), height * 0.4F);
  if (view.state.rounds.empty()) {
    draw_empty(view, form);
  } else {
    draw_rounds(view, width, room_left().height - caches - view.px(4));
    draw_caches(view, width, caches);
  }
  ImGui::EndChild();
}

void draw_picture(SpecView& view, const ScenarioForm& form) {
  const layout::Rect room = room_left();
  const float right = std::max(view.px(268), room.width * kRightShare);
  const float left = std::max(view.px(120), room.width - right - view.px(kGap));
  draw_left(view, form, left, room.height);
  ImGui::SameLine(0, view.px(kGap));
  ImGui::BeginChild("spec_right", {0, room.height});
  draw_worth(view);
  draw_rules(view);
  ImGui::EndChild();
}

}  // namespace

bool RuleTrial::advance(std::uint64_t most) {
  constexpr std::uint64_t kSeed = 11;
  const auto wanted = static_cast<std::uint64_t>(draws);
  const RuleProblem& asked = rule_problems()[static_cast<std::size_t>(problem)];
  if (!exact || exact->draws() > wanted || exact->counts().size() != asked.p.size()) {
    exact.emplace(asked, Recovery::residual, kSeed);
    zoo.emplace(asked, Recovery::target, kSeed);
  }
  const std::uint64_t left = wanted - exact->draws();
  const std::uint64_t now = exact->draws() + std::min(left, most);
  exact->draw_to(now);
  zoo->draw_to(now);
  return now < wanted;
}

void SpecPanelState::forget() {
  log = {};
  rounds = {};
  figures = {};
  position = 0;
  events = SIZE_MAX;
}

void follow(SpecPanelState& state, const Trace& trace, const World& now) {
  const bool same = state.events == trace.size() && state.position == now.events;
  if (same && state.figures_cost == state.cost) return;
  if (!same) {
    state.log.follow(trace);
    state.rounds = Rounds(state.log, trace, now);
  }
  state.figures = speculation_figures(state.rounds, state.cost_of_a_guess());
  state.events = trace.size();
  state.position = now.events;
  state.figures_cost = state.cost;
}

std::string spec_text(const SpecPanelState& state, const World& now, const Target& selected) {
  std::string text = speculation_report(state.rounds, state.figures, now, state.cost_of_a_guess(), kRoundsInText);
  if (const RequestState* request = shown_request(state, now, selected)) {
    text += caches_text(now, *request, strip_of(state, now, *request, kPositionsInText));
  }
  if (!state.trial.exact || !state.trial.zoo) return text;
  const RuleProblem& problem = rule_problems()[static_cast<std::size_t>(state.trial.problem)];
  return text + rule_report(problem, *state.trial.exact, *state.trial.zoo);
}

void spec_title(SpecView& view, std::string_view id, std::string_view words) {
  const WithFont strong(view.context.ui.fonts(), FontRole::strong);
  text(view.context.ui, id, words);
}

void draw_spec_panel(PanelContext& context, SpecPanelState& state, ScenarioForm& form, const layout::Rect& dock) {
  Panel panel(context, "spec", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  follow(state, context.scene.trace(), context.scene.world());
  if (state.trial.advance(context.scene.reduce_motion ? kAllDraws : kDrawsAFrame)) context.ui.keep_moving();
  SpecView view{context, state};
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(8), context.px(3)});
  draw_form(view, form);
  state.as_text ? draw_as_text(view) : draw_picture(view, form);
  ImGui::PopStyleVar();
}

}  // namespace kvarium::ui
