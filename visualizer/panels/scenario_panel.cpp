#include "visualizer/panels/scenario_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"

namespace kvarium::ui {
namespace {

// Logical pixels: the cards stand one below the other only where this much is left for the fields.
constexpr float kCardHeight = 37;
constexpr float kRoomForFields = 200;

void draw_card(PanelContext& context, const ScenarioForm& form, const ScenarioCard& card) {
  const bool chosen = card.id == form.chosen;
  const Pressable place =
      pressable(context, "scenario/" + card.id, "row", card.title, chosen ? "selected" : "", context.px(30));
  tooltip(context.ui, card.summary);
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  const Theme& theme = context.ui.theme();
  const layout::Rect& area = place.area;
  painter.fill(area, chosen ? theme.selected : place.hovered ? theme.hovered : theme.raised, 6);
  layout::Rect inside = area.inset(context.px(8));
  inside.y = area.y;
  inside.height = area.height;
  if (chosen)
    painter.fill({area.x, area.y + context.px(5), context.px(3), area.height - context.px(10)}, theme.accent, 1.5F);
  painter.text(layout::cut_left(inside, context.px(34)), card.id, theme.dim, FontRole::mono);
  painter.text(inside, card.title, theme.text);
  if (place.pressed && !chosen) context.actions.choose_scenario(card.id);
}

/// The cards as a list that opens, where room is short.
void draw_choice(PanelContext& context, const ScenarioForm& form) {
  std::vector<std::string> titles;
  int chosen = -1;
  for (std::size_t i = 0; i < form.cards.size(); ++i) {
    titles.push_back(form.cards[i].id + "  " + form.cards[i].title);
    if (form.cards[i].id == form.chosen) chosen = static_cast<int>(i);
  }
  if (combo(context.ui, "scenario_choice", "", chosen, titles)) {
    context.actions.choose_scenario(form.cards[static_cast<std::size_t>(chosen)].id);
  }
}

/// A dot beside the name marks what differs from the scenario's own value; clicking it brings that back.
void draw_changed_mark(PanelContext& context, FormField& field, const std::string& id, const ImVec2& start) {
  if (!field.changed()) return;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float name = ImGui::CalcTextSize(std::string(tr(field.name)).c_str()).x;
  ImGui::SetCursorScreenPos({start.x + name + context.px(8), start.y});
  if (link(context.ui, id + "/reset", "● put back", {.tooltip = "Changed. Click: the scenario's own value"}))
    field.reset();
  ImGui::SetCursorScreenPos(after);
}

void draw_number(PanelContext& context, FormField& field, const std::string& id, float width) {
  const Look look{.tooltip = field.help, .width = width};
  if (field.unit != 1.0F) {
    float amount = static_cast<float>(field.number);
    const std::string shown = fmt::format("{:.2g}", static_cast<double>(amount * field.unit));
    if (slider(context.ui, id, field.name, amount, static_cast<float>(field.low), static_cast<float>(field.high), shown,
               look)) {
      field.number = static_cast<int>(amount + 0.5F);
    }
  } else if (!field.stops.empty()) {
    slider_stops(context.ui, id, field.name, field.number, field.stops, look);
  } else if (field.high - field.low <= 256) {
    slider(context.ui, id, field.name, field.number, field.low, field.high, look);
  } else {
    input_int(context.ui, id, field.name, field.number, field.low, field.high, look);
  }
}

void draw_choice_field(PanelContext& context, FormField& field, const std::string& id, float width) {
  const auto at = std::find(field.choices.begin(), field.choices.end(), field.text);
  int chosen = static_cast<int>(at - field.choices.begin());
  if (combo(context.ui, id, field.name, chosen, field.choice_names, {.tooltip = field.help, .width = width})) {
    field.text = field.choices[static_cast<std::size_t>(chosen)];
  }
}

/// What is taken when no path is given.
std::string_view unnamed_file(std::string_view field) {
  if (field == "model_path") return tr("tales-target (a path opens another)");
  if (field == "tokenizer_path") return tr("the model's own (a path opens another)");
  return tr("an invented one (a path opens another)");
}

void draw_buttons(PanelContext& context, ScenarioForm& form) {
  const bool running = context.scene.running;
  const Look run{.enabled = !form.chosen.empty(),
                 .reason = "Choose a scenario first",
                 .tooltip = "Run the engine with these parameters",
                 .width = 120,
                 .primary = true};
  if (button(context.ui, "run", running ? "Run again" : "Run", run)) context.actions.run_scenario();
  ImGui::SameLine();
  const Look reset{.enabled = form.changed(),
                   .reason = "Nothing differs from the scenario's own values",
                   .tooltip = "Put all parameters back"};
  if (button(context.ui, "reset_all", "Reset all", reset)) form.reset();
}

}  // namespace

FormField* find_field(ScenarioForm& form, std::string_view id) {
  const auto at =
      std::find_if(form.fields.begin(), form.fields.end(), [id](const FormField& field) { return field.id == id; });
  return at == form.fields.end() ? nullptr : &*at;
}

void draw_field(PanelContext& context, FormField& field, std::string_view prefix, float width) {
  const std::string id = std::string(prefix) + field.id;
  ImGui::PushID(id.c_str());
  const ImVec2 start = ImGui::GetCursorScreenPos();
  switch (field.kind) {
    case FormField::Kind::number:
      draw_number(context, field, id, width);
      break;
    case FormField::Kind::text:
      input_lines(context.ui, id, field.name, field.text, 64, {.tooltip = field.help, .width = width});
      break;
    case FormField::Kind::file:
      input_text(context.ui, id, field.name, field.text, unnamed_file(field.id), false,
                 {.tooltip = field.help, .width = width});
      break;
    case FormField::Kind::choice:
      draw_choice_field(context, field, id, width);
      break;
  }
  if (width == 0) draw_changed_mark(context, field, id, start);
  ImGui::PopID();
  ImGui::Spacing();
}

bool ScenarioForm::changed() const {
  return std::any_of(fields.begin(), fields.end(), [](const FormField& field) { return field.changed(); });
}

void ScenarioForm::reset() {
  for (FormField& field : fields) field.reset();
  error.clear();
}

void draw_scenario_panel(PanelContext& context, ScenarioForm& form, const layout::Rect& dock) {
  Panel panel(context, "scenario", "Scenario", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  const float cards = kCardHeight * static_cast<float>(form.cards.size());
  if (dock.height >= context.px(cards + kRoomForFields)) {
    for (const ScenarioCard& card : form.cards) draw_card(context, form, card);
  } else {
    draw_choice(context, form);
  }
  ImGui::Spacing();
  const auto height_of = [&](const std::string& words) {
    const float width = ImGui::GetContentRegionAvail().x;
    return words.empty() ? 0 : ImGui::CalcTextSize(words.c_str(), nullptr, false, width).y + context.px(6);
  };
  const float note = form.note.empty() ? 0 : height_of(form.note) + ImGui::GetTextLineHeightWithSpacing();
  const float buttons = ImGui::GetFrameHeightWithSpacing() + context.px(4) + height_of(form.error) + note;
  ImGui::BeginChild("fields", {0, std::max(context.px(40), ImGui::GetContentRegionAvail().y - buttons)});
  if (form.fields.empty())
    wrapped_text(context.ui, "fields_empty", "Choose a scenario: its parameters are shown here.");
  for (FormField& field : form.fields) draw_field(context, field);
  ImGui::EndChild();
  if (!form.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().bad);
    wrapped_text(context.ui, "form_error", form.error);
    ImGui::PopStyleColor();
  }
  if (!form.note.empty()) {
    wrapped_text(context.ui, "form_note", form.note);
    if (link(context.ui, "form_stop", "Stop", {.tooltip = "Read no further; the run that is shown stays"}))
      context.actions.stop_opening();
  }
  draw_buttons(context, form);
}

}  // namespace kvarium::ui
