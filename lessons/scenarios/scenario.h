#pragma once
// A scenario: a named set-up of the engine with parameters that a person may change. Running one emits events; the
// window, the text twin, the lessons and the tests all run the same code.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cancel.h"
#include "core/trace/event_sink.h"

namespace kvarium {

struct ModelChoice;

struct ScenarioParams {
  std::string prompt{};
  std::string model_path{};      ///< a model file or folder; empty: tales-target
  std::string tokenizer_path{};  ///< of a llama2.c checkpoint; empty: the model's own
  std::string trace_path{};      ///< a trace of Mooncake; empty: an invented one
  std::uint32_t prompt_tokens = 0;
  std::uint32_t new_tokens = 0;  ///< to generate, a request
  std::uint32_t block_size = 0;  ///< tokens a block
  std::uint32_t num_blocks = 0;  ///< of the pool
  std::uint32_t num_requests = 1;
  std::uint32_t candidates = 1;  ///< answers to one prompt
  std::uint32_t max_running = 8;
  std::uint32_t token_budget = 2048;  ///< tokens that one step may compute
  float temperature = 0.0F;
  std::uint64_t seed = 7;
  // Choices, by the names of choices_of() in field.h.
  std::string prefix_cache = "off";
  std::string queue_order = "2026";
  std::string eviction = "lru";
  std::string scheduler = "continuous";
  std::string preemption = "recompute";
  std::string sharing = "fork";
  std::string heads = "gqa";  ///< of the model that runs, where the scenario lets it be chosen
  std::string prompt_kind = "text";
  std::string proposer = "oracle";  ///< who guesses tokens ahead, where the scenario speculates
  std::uint32_t draft_length = 5;   ///< tokens a round
  std::uint32_t accepted = 2;       ///< of the guesses of a round the oracle gets so many right
  std::string fault = "none";       ///< of the bug zoo, see core/faults/fault.h
  std::string part = "a";           ///< of a scenario that has several
  /// The model of model_path, opened already; nullptr: it is opened when the run starts.
  std::shared_ptr<const ModelChoice> opened = nullptr;

  bool operator==(const ScenarioParams&) const = default;
};

enum class FieldKind : std::uint8_t { number, text, file, choice };

/// What a field of kind choice can be.
struct FieldChoice {
  std::string value;  ///< as on the command line: "hash"
  std::string name;   ///< in words: "hash of each block (vLLM)"
  bool operator==(const FieldChoice&) const = default;
};

/// One field of ScenarioParams that the scenario lets a person change.
struct ScenarioField {
  std::string id;    ///< the field's name, also the widget's id: "block_size"
  std::string name;  ///< in words: "Block size (tokens)"
  std::string help;  ///< one sentence
  FieldKind kind = FieldKind::number;
  std::uint32_t low = 0, high = 0;     ///< range of a number, in units
  std::vector<std::uint32_t> stops{};  ///< the values a slider offers, in units; empty: every number of the range
  float unit = 1.0F;                   ///< the field's value is units * unit: 7 is a temperature of 0.7 with unit 0.1
  std::vector<FieldChoice> choices{};  ///< of a choice
};

struct Scenario {
  std::string id;       ///< "S01"
  std::string name;     ///< "why-cache"
  std::string title;    ///< "Why keep K and V?"
  std::string summary;  ///< two sentences: what happens, what to look at
  ScenarioParams defaults;
  std::vector<ScenarioField> fields;
  void (*run)(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel);
  /// Prompt and answer of its longest request, tokens; nullptr: not known before it runs.
  std::uint64_t (*longest_request)(const ScenarioParams& params) = nullptr;
};

/// All scenarios in their order; the last one is "own": your own prompt.
const std::vector<Scenario>& scenarios();
/// By id or name, upper or lower case. InputError that lists the names when there is none.
const Scenario& find_scenario(std::string_view id_or_name);
/// InputError, naming the field and its range or choices, for a value that the field cannot have. Texts are not read.
void check_field(const ScenarioField& field, const ScenarioParams& params);
/// InputError, naming the field and its range, for parameters that cannot run.
void check(const Scenario& scenario, const ScenarioParams& params);
/// InputError for values that are fine alone and impossible together.
void check_together(const ScenarioParams& params);
/// InputError for a prompt that is empty, longer than a million bytes, or no valid UTF-8.
void check_prompt(std::string_view prompt);
/// Runs to the end or until cancelled. InputError as check(), or for files that cannot be read.
void run_scenario(const Scenario& scenario, const ScenarioParams& params, EventSink& sink, const CancelToken& cancel);

}  // namespace kvarium
