#include "visualizer/app/scenario_form.h"

#include <cmath>

#include "core/error.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/set_parameter.h"

namespace kvarium::ui {
namespace {

FormField::Kind kind_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::number:
      return FormField::Kind::number;
    case FieldKind::text:
      return FormField::Kind::text;
    case FieldKind::file:
      return FormField::Kind::file;
    case FieldKind::choice:
      return FormField::Kind::choice;
  }
  throw MisuseError("a field of an unknown kind");
}

/// The field shows what the parameters say.
void show_value(FormField& field, const ScenarioParams& params) {
  const FieldMember member = member_of(field.id);
  if (const auto* text = std::get_if<TextMember>(&member)) field.text = params.*(*text);
  if (const auto* number = std::get_if<NumberMember>(&member)) field.number = static_cast<int>(params.*(*number));
  if (const auto* number = std::get_if<LongNumberMember>(&member)) field.number = static_cast<int>(params.*(*number));
  if (const auto* number = std::get_if<RealMember>(&member)) {
    field.number = static_cast<int>(std::lround(params.*(*number) / field.unit));
  }
}

/// The parameters say what the field shows.
void take_value(ScenarioParams& params, const FormField& field) {
  const FieldMember member = member_of(field.id);
  if (const auto* text = std::get_if<TextMember>(&member)) params.*(*text) = field.text;
  if (const auto* number = std::get_if<NumberMember>(&member)) {
    params.*(*number) = static_cast<std::uint32_t>(field.number);
  }
  if (const auto* number = std::get_if<LongNumberMember>(&member)) {
    params.*(*number) = static_cast<std::uint64_t>(field.number);
  }
  if (const auto* number = std::get_if<RealMember>(&member)) {
    params.*(*number) = static_cast<float>(field.number) * field.unit;
  }
}

FormField make_field(const ScenarioField& from, const ScenarioParams& defaults) {
  FormField field;
  field.id = from.id;
  field.name = from.name;
  field.help = from.help;
  field.kind = kind_of(from.kind);
  field.low = static_cast<int>(from.low);
  field.high = static_cast<int>(from.high);
  field.stops.assign(from.stops.begin(), from.stops.end());
  field.unit = from.unit;
  for (const FieldChoice& choice : from.choices) {
    field.choices.push_back(choice.value);
    field.choice_names.push_back(choice.name);
  }
  show_value(field, defaults);
  field.default_number = field.number;
  field.default_text = field.text;
  return field;
}

}  // namespace

ScenarioForm make_form() {
  ScenarioForm form;
  for (const Scenario& scenario : scenarios()) form.cards.push_back({scenario.id, scenario.title, scenario.summary});
  return form;
}

void choose(ScenarioForm& form, std::string_view id) {
  const Scenario& scenario = find_scenario(id);
  form.chosen = scenario.id;
  form.error.clear();
  form.fields.clear();
  for (const ScenarioField& field : scenario.fields) form.fields.push_back(make_field(field, scenario.defaults));
}

ScenarioParams params_of(const ScenarioForm& form) {
  ScenarioParams params = find_scenario(form.chosen).defaults;
  for (const FormField& field : form.fields) take_value(params, field);
  return params;
}

void set_field(ScenarioForm& form, std::string_view id, std::string_view value) {
  ScenarioParams params = params_of(form);
  set_parameter(find_scenario(form.chosen), params, {id, value});
  for (FormField& field : form.fields) {
    if (field.id == id) show_value(field, params);
  }
}

}  // namespace kvarium::ui
