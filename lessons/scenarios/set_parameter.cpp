#include "lessons/scenarios/set_parameter.h"

#include <charconv>
#include <string>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

template <typename Number>
void set_number(Number& number, std::string_view id, std::string_view text) {
  Number read{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) {
    throw InputError(tr_format("{}: \"{}\" is no number that fits", id, text));
  }
  number = read;
}

bool has_field(const Scenario& scenario, std::string_view id, std::string& names) {
  for (const ScenarioField& field : scenario.fields) {
    if (field.id == id) return true;
    names += (names.empty() ? "" : ", ") + field.id;
  }
  return false;
}

}  // namespace

void set_parameter(const Scenario& scenario, ScenarioParams& params, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(tr_format("\"{}\" sets nothing; write it as block_size=4", assignment));
  }
  const std::string_view id = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  std::string names;
  if (!has_field(scenario, id, names)) {
    throw InputError(tr_format("{} has no parameter \"{}\"; it has {}", scenario.id, id, names));
  }
  if (id == "prompt") params.prompt = text;
  if (id == "model_path") params.model_path = text;
  if (id == "tokenizer_path") params.tokenizer_path = text;
  if (id == "prompt_tokens") set_number(params.prompt_tokens, id, text);
  if (id == "new_tokens") set_number(params.new_tokens, id, text);
  if (id == "block_size") set_number(params.block_size, id, text);
  if (id == "num_blocks") set_number(params.num_blocks, id, text);
  if (id == "num_requests") set_number(params.num_requests, id, text);
  if (id == "temperature") set_number(params.temperature, id, text);
  if (id == "seed") set_number(params.seed, id, text);
}

}  // namespace kvarium
