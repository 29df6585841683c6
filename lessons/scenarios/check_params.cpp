// Are these parameters runnable? Every complaint names the field, its value and its range.

#include <cmath>

#include "core/blocks/blocks_for.h"
#include "core/error.h"
#include "core/token_text.h"
#include "core/utf8.h"
#include "core/words/words.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {
namespace {

constexpr std::size_t kMostPromptBytes = 1'000'000;
constexpr std::uint64_t kMostPoolTokens = 1U << 20U;  // tales-target's pool then takes 3 GiB

/// The value of a number field; temperature in its own units.
double value_of(const ScenarioParams& params, const std::string& id) {
  const FieldMember member = member_of(id);
  if (const auto* number = std::get_if<NumberMember>(&member)) return params.*(*number);
  if (const auto* number = std::get_if<LongNumberMember>(&member)) return static_cast<double>(params.*(*number));
  if (const auto* number = std::get_if<RealMember>(&member)) return static_cast<double>(params.*(*number));
  throw MisuseError("the parameter " + id + " is no number");
}

void check_number(const ScenarioField& field, const ScenarioParams& params) {
  const double value = value_of(params, field.id);
  const double low = field.low * static_cast<double>(field.unit);
  const double high = field.high * static_cast<double>(field.unit);
  constexpr double kRounding = 1e-6;                                  // 20 units of 0.1F are a little more than 2
  if (value >= low - kRounding && value <= high + kRounding) return;  // false for NaN
  throw InputError(tr_format("{} ({}) is {}; it must be {:.6g} to {:.6g}", field.id, tr(field.name), value, low, high));
}

void check_choice(const ScenarioField& field, const ScenarioParams& params) {
  const std::string& value = params.*std::get<TextMember>(member_of(field.id));
  std::string names;
  for (const FieldChoice& choice : field.choices) {
    if (choice.value == value) return;
    names += (names.empty() ? "" : ", ") + choice.value;
  }
  throw InputError(
      tr_format("{} ({}) is \"{}\"; it must be one of: {}", field.id, tr(field.name), printable(value), names));
}

/// The engine's own rule, asked here before anything starts.
void check_pool_holds_one_request(const ScenarioParams& params, std::uint64_t tokens) {
  const std::uint64_t needed = blocks_for(tokens, params.block_size);
  if (needed <= params.num_blocks) return;
  throw InputError(tr_format("num_blocks is {}; the longest request has {} tokens and needs at least {} blocks of {}",
                             params.num_blocks, tokens, needed, params.block_size));
}

}  // namespace

void check_together(const ScenarioParams& params) {
  if (params.token_budget < params.max_running) {
    throw InputError(
        tr_format("token_budget is {} and max_running {}: every running request computes at least 1 token a step, so "
                  "the budget must not be smaller",
                  params.token_budget, params.max_running));
  }
  if (params.candidates > params.max_running) {
    throw InputError(tr_format("candidates is {} and max_running {}: all candidates of a prompt run side by side",
                               params.candidates, params.max_running));
  }
  if (params.eviction == "lru" || params.prefix_cache == "off") return;
  if (params.prefix_cache == "radix") {
    throw InputError(tr_format("eviction is {}: the radix tree evicts only by lru; prefix_cache=hash has every policy",
                               params.eviction));
  }
  if (params.queue_order == "classic") {
    throw InputError(
        tr_format("eviction is {}: the classic queue order is lru itself; choose queue_order=2026", params.eviction));
  }
}

void check_prompt(std::string_view prompt) {
  if (prompt.empty()) throw InputError(std::string(tr("prompt is empty; write at least one character")));
  if (prompt.size() > kMostPromptBytes) {
    throw InputError(tr_format("prompt has {} bytes; it must be 1 to {}", prompt.size(), kMostPromptBytes));
  }
  for (std::size_t at = 0; at < prompt.size();) {
    const std::size_t length = utf8_length(prompt, at);
    if (length == 0) {
      throw InputError(tr_format("prompt is not valid UTF-8: byte {} (0x{:02X}) begins no character", at,
                                 static_cast<unsigned char>(prompt[at])));
    }
    at += length;
  }
}

void check_field(const ScenarioField& field, const ScenarioParams& params) {
  if (field.kind == FieldKind::number) check_number(field, params);
  if (field.kind == FieldKind::choice) check_choice(field, params);
}

void check(const Scenario& scenario, const ScenarioParams& params) {
  for (const ScenarioField& field : scenario.fields) {
    check_field(field, params);
    if (field.id == "prompt") check_prompt(params.prompt);
  }
  check_together(params);
  if (std::uint64_t{params.block_size} * params.num_blocks > kMostPoolTokens) {
    throw InputError(tr_format("block_size {} times num_blocks {} is a pool of {} tokens; at most {} are allowed",
                               params.block_size, params.num_blocks,
                               std::uint64_t{params.block_size} * params.num_blocks, kMostPoolTokens));
  }
  if (scenario.longest_request != nullptr) check_pool_holds_one_request(params, scenario.longest_request(params));
}

}  // namespace kvarium
