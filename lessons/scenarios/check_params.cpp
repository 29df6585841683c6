// Are these parameters runnable? Every complaint names the field, its value and its range.

#include <cmath>

#include "core/error.h"
#include "core/utf8.h"
#include "core/words/words.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {
namespace {

constexpr std::size_t kMostPromptBytes = 1'000'000;
constexpr std::uint64_t kMostPoolTokens = 1U << 20U;  // the built-in model's pool then takes half a GiB

/// The value of a number field; temperature in its own units.
double value_of(const ScenarioParams& params, const std::string& id) {
  if (id == "prompt_tokens") return params.prompt_tokens;
  if (id == "new_tokens") return params.new_tokens;
  if (id == "block_size") return params.block_size;
  if (id == "num_blocks") return params.num_blocks;
  if (id == "num_requests") return params.num_requests;
  if (id == "temperature") return static_cast<double>(params.temperature);
  if (id == "seed") return static_cast<double>(params.seed);
  throw MisuseError("no parameter has the id " + id);
}

void check_number(const ScenarioField& field, const ScenarioParams& params) {
  const double value = value_of(params, field.id);
  const double low = field.low * static_cast<double>(field.unit);
  const double high = field.high * static_cast<double>(field.unit);
  constexpr double kRounding = 1e-6;                                  // 20 units of 0.1F are a little more than 2
  if (value >= low - kRounding && value <= high + kRounding) return;  // false for NaN
  throw InputError(tr_format("{} ({}) is {}; it must be {:.6g} to {:.6g}", field.id, tr(field.name), value, low, high));
}

/// The engine's own rule, asked here before anything starts.
void check_pool_holds_one_request(const ScenarioParams& params) {
  const std::uint64_t tokens = std::uint64_t{params.prompt_tokens} + params.new_tokens;
  const std::uint64_t needed = (tokens + params.block_size - 1) / params.block_size;
  if (needed <= params.num_blocks) return;
  throw InputError(tr_format("num_blocks is {}; {} prompt tokens and {} new ones need at least {} blocks of {}",
                             params.num_blocks, params.prompt_tokens, params.new_tokens, needed, params.block_size));
}

}  // namespace

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

void check(const Scenario& scenario, const ScenarioParams& params) {
  for (const ScenarioField& field : scenario.fields) {
    if (field.kind == FieldKind::number) check_number(field, params);
    if (field.id == "prompt") check_prompt(params.prompt);
  }
  if (std::uint64_t{params.block_size} * params.num_blocks > kMostPoolTokens) {
    throw InputError(tr_format("block_size {} times num_blocks {} is a pool of {} tokens; at most {} are allowed",
                               params.block_size, params.num_blocks,
                               std::uint64_t{params.block_size} * params.num_blocks, kMostPoolTokens));
  }
  if (scenario.id != "own") check_pool_holds_one_request(params);
}

}  // namespace kvarium
