#include "lessons/scenarios/set_parameter.h"

#include <charconv>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/token_text.h"
#include "core/words/words.h"
#include "lessons/scenarios/field.h"

namespace kvarium {
namespace {

template <typename Number>
Number number_from(std::string_view id, std::string_view text) {
  Number read{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) {
    throw InputError(tr_format("{}: \"{}\" is no number that fits", id, printable(text)));
  }
  return read;
}

const ScenarioField& field_of(const Scenario& scenario, std::string_view id) {
  std::string names;
  for (const ScenarioField& field : scenario.fields) {
    if (field.id == id) return field;
    names += (names.empty() ? "" : ", ") + field.id;
  }
  throw InputError(tr_format("{} has no parameter \"{}\"; it has {}", scenario.id, printable(id), names));
}

}  // namespace

Assignment parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(tr_format("\"{}\" sets nothing; write it as block_size=4", printable(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void set_parameter(const Scenario& scenario, ScenarioParams& params, const Assignment& assignment) {
  const auto& [id, value] = assignment;
  const ScenarioField& field = field_of(scenario, id);
  ScenarioParams changed = params;
  const FieldMember member = member_of(id);
  if (const auto* text = std::get_if<TextMember>(&member)) changed.*(*text) = value;
  if (const auto* number = std::get_if<NumberMember>(&member))
    changed.*(*number) = number_from<std::uint32_t>(id, value);
  if (const auto* number = std::get_if<LongNumberMember>(&member)) {
    changed.*(*number) = number_from<std::uint64_t>(id, value);
  }
  if (const auto* number = std::get_if<RealMember>(&member)) changed.*(*number) = number_from<float>(id, value);
  check_field(field, changed);
  params = std::move(changed);
}

}  // namespace kvarium
