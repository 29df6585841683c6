// The list of scenarios, and who runs each.

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/words/words.h"
#include "lessons/scenarios/own_prompt.h"
#include "lessons/scenarios/paging.h"
#include "lessons/scenarios/scenario.h"
#include "lessons/scenarios/why_cache.h"

namespace kvarium {
namespace {

ScenarioField number(std::string id, std::string name, std::string help, std::uint32_t low, std::uint32_t high) {
  return {std::move(id), std::move(name), std::move(help), FieldKind::number, low, high, {}};
}

ScenarioField block_size_field() {
  ScenarioField field =
      number("block_size", "Block size (tokens)", "How many tokens' K and V one block holds.", 1, 784);
  field.stops = {1, 2, 4, 8, 16, 32, 64, 128, 256, 784};
  return field;
}

ScenarioField num_blocks_field() {
  return number("num_blocks", "Pool size (blocks)", "How many blocks there are for all requests together.", 1, 20000);
}

ScenarioField seed_field() {
  return number("seed", "Seed", "Scrambles the order in which blocks are handed out; the same seed, the same run.", 0,
                999999);
}

Scenario why_cache() {
  return {
      "S01",
      "why-cache",
      "Why keep K and V?",
      "Two requests have the same prompt: A computes K and V of all tokens again at each step, B keeps them. Compare "
      "how much each computes, and look at what B reads in its last step.",
      {.prompt_tokens = 8, .new_tokens = 8, .block_size = 4, .num_blocks = 8, .num_requests = 2},
      {number("prompt_tokens", "Prompt (tokens)", "How long the prompt of both requests is.", 1, 64),
       number("new_tokens", "New tokens", "How many tokens each request writes.", 1, 64), block_size_field(),
       num_blocks_field(), seed_field()}};
}

Scenario paging() {
  return {
      "S02",
      "paging-17",
      "Where do K and V lie?",
      "A prompt of 17 tokens takes blocks that lie anywhere in the pool, and a table says where. Watch the table grow "
      "when the last block is full.",
      {.prompt_tokens = 17, .new_tokens = 48, .block_size = 8, .num_blocks = 16},
      {number("prompt_tokens", "Prompt (tokens)", "How long the prompt is.", 1, 256),
       number("new_tokens", "New tokens", "How many tokens the request writes: one a step.", 1, 256),
       block_size_field(), num_blocks_field(), seed_field()}};
}

Scenario own_prompt() {
  ScenarioField temperature =
      number("temperature", "Temperature", "0: always the most likely token. Higher: more surprising tokens.", 0, 20);
  temperature.unit = 0.1F;
  return {
      "own",
      "own-prompt",
      "Your own prompt",
      "Your text goes through the built-in model, whose weights are random, or through a model file of yours. Several "
      "requests with the same prompt share the pool and write different answers when the temperature is above 0.",
      {.prompt = "Once upon a time there was a little girl",
       .new_tokens = 48,
       .block_size = 8,
       .num_blocks = 32,
       .num_requests = 2,
       .temperature = 0.4F},
      {{"prompt", "Prompt", "The text to go on from.", FieldKind::text},
       {"model_path", "Model file", "A llama2.c checkpoint; empty: the built-in model.", FieldKind::file},
       {"tokenizer_path", "Tokenizer file", "The model's tokenizer; empty: the built-in one.", FieldKind::file},
       number("new_tokens", "New tokens", "How many tokens each request writes at most.", 1, 4096),
       block_size_field(),
       num_blocks_field(),
       number("num_requests", "Requests", "How many requests with this prompt run at once.", 1, 26),
       std::move(temperature),
       seed_field()}};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kAll{why_cache(), paging(), own_prompt()};
  return kAll;
}

const Scenario& find_scenario(std::string_view id_or_name) {
  const std::string wanted = lower(id_or_name);
  std::string names;
  for (const Scenario& scenario : scenarios()) {
    if (wanted == lower(scenario.id) || wanted == lower(scenario.name)) return scenario;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", scenario.id, scenario.name);
  }
  throw InputError(tr_format("there is no scenario \"{}\"; there are {}", id_or_name, names));
}

void run_scenario(const Scenario& scenario, const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  check(scenario, params);
  if (scenario.id == "S01") return run_why_cache(params, sink, cancel);
  if (scenario.id == "S02") return run_paging(params, sink, cancel);
  run_own_prompt(params, sink, cancel);
}

}  // namespace kvarium
