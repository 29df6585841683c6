#pragma once
// What was read, in words: lines for the window and the terminal.

#include <memory>
#include <string>
#include <vector>

#include "cpu_reference/loaders/loaded_model.h"

namespace kvarium::cpu {

class Tokenizer;

/// Where the weights come from, the numbers of the model, and its tokenizer: a line each.
std::vector<std::string> model_facts(const LoadedModel& loaded, const Tokenizer& tokenizer);

/// A checkpoint of llama2.c as the other formats describe themselves.
LoadedModel describe_llama2c(std::shared_ptr<const Model> model);

}  // namespace kvarium::cpu
