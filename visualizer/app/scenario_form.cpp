#include "visualizer/app/scenario_form.h"

#include <cmath>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::ui {
namespace {

/// The member of the parameters that a field edits; one of the pointers is set.
struct Member {
  std::string* text = nullptr;
  std::uint32_t* number = nullptr;
  std::uint64_t* long_number = nullptr;
  float* real = nullptr;
};

Member member(ScenarioParams& params, std::string_view id) {
  if (id == "prompt") return {.text = &params.prompt};
  if (id == "model_path") return {.text = &params.model_path};
  if (id == "tokenizer_path") return {.text = &params.tokenizer_path};
  if (id == "prompt_tokens") return {.number = &params.prompt_tokens};
  if (id == "new_tokens") return {.number = &params.new_tokens};
  if (id == "block_size") return {.number = &params.block_size};
  if (id == "num_blocks") return {.number = &params.num_blocks};
  if (id == "num_requests") return {.number = &params.num_requests};
  if (id == "temperature") return {.real = &params.temperature};
  if (id == "seed") return {.long_number = &params.seed};
  throw MisuseError("a scenario has a field that the form does not know: " + std::string(id));
}

FormField make_field(const ScenarioField& from, ScenarioParams& defaults) {
  FormField field;
  field.id = from.id;
  field.name = from.name;
  field.help = from.help;
  field.kind = from.kind == FieldKind::number ? FormField::Kind::number
               : from.kind == FieldKind::text ? FormField::Kind::text
                                              : FormField::Kind::file;
  field.low = static_cast<int>(from.low);
  field.high = static_cast<int>(from.high);
  field.stops.assign(from.stops.begin(), from.stops.end());
  field.unit = from.unit;
  const Member at = member(defaults, from.id);
  if (at.text != nullptr) field.default_text = *at.text;
  if (at.number != nullptr) field.default_number = static_cast<int>(*at.number);
  if (at.long_number != nullptr) field.default_number = static_cast<int>(*at.long_number);
  if (at.real != nullptr) field.default_number = static_cast<int>(std::lround(*at.real / from.unit));
  field.reset();
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
  ScenarioParams defaults = scenario.defaults;
  form.chosen = scenario.id;
  form.error.clear();
  form.fields.clear();
  for (const ScenarioField& field : scenario.fields) form.fields.push_back(make_field(field, defaults));
}

ScenarioParams params_of(const ScenarioForm& form) {
  ScenarioParams params = find_scenario(form.chosen).defaults;
  for (const FormField& field : form.fields) {
    const Member at = member(params, field.id);
    if (at.text != nullptr) *at.text = field.text;
    if (at.number != nullptr) *at.number = static_cast<std::uint32_t>(field.number);
    if (at.long_number != nullptr) *at.long_number = static_cast<std::uint64_t>(field.number);
    if (at.real != nullptr) *at.real = static_cast<float>(field.number) * field.unit;
  }
  return params;
}

void set_field(ScenarioForm& form, std::string_view id, std::string_view value) {
  std::string ids;
  for (FormField& field : form.fields) {
    ids += (ids.empty() ? "" : ", ") + field.id;
    if (field.id != id) continue;
    if (field.kind != FormField::Kind::number) {
      field.text = value;
      return;
    }
    double number = 0;
    std::size_t read = 0;
    try {
      number = std::stod(std::string(value), &read);
    } catch (const std::exception&) {
      read = std::string::npos;
    }
    if (read != value.size()) {
      throw InputError(tr_format("{} must be a number, not \"{}\"", id, value));
    }
    const double units = number / static_cast<double>(field.unit);
    if (!(units >= field.low - 0.5 && units <= field.high + 0.5)) {
      throw InputError(tr_format("{} is {}; it must be {:.6g} to {:.6g}", id, value,
                                 field.low * static_cast<double>(field.unit),
                                 field.high * static_cast<double>(field.unit)));
    }
    field.number = static_cast<int>(std::lround(units));
    return;
  }
  throw InputError(tr_format("{} has no field \"{}\"; it has {}", form.chosen, id, ids));
}

}  // namespace kvarium::ui
