#pragma once
// --model and --tokenizer, as every command that runs a model has them.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/cancel.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {

struct ModelFlags {
  std::string model;      ///< empty: tales-target
  std::string tokenizer;  ///< empty: the model brings its own
};

void add_model_flags(CLI::App& flags, ModelFlags& options);

/// Opens it, with a bar on the terminal; nothing when cancelled. InputError as choose_model() throws it.
std::optional<ModelChoice> open_flagged_model(const ModelFlags& options, const CancelToken& cancel);
/// What was read: on standard error.
void print_model_facts(const ModelChoice& choice);

}  // namespace kvarium
