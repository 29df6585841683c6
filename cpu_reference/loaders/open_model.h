#pragma once
// One call for every kind of model file: the model, its tokenizer, and what was read, in words.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/progress.h"

namespace kvarium::cpu {

struct Model;
class Tokenizer;

struct OpenedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> facts;  ///< what was read, a line each
};

/// `path` is a GGUF file; a Hugging Face folder, or a .safetensors file or its index in one, with config.json and
/// tokenizer.json; or a llama2.c checkpoint with tokenizer.bin, or "tok" and the size of the vocabulary, beside it.
/// `on_progress` (may be empty) is told of bytes. Nothing when cancelled. InputError naming the file, what is wrong or
/// not supported, and what to do.
std::optional<OpenedModel> open_model(const std::filesystem::path& path, const OnProgress& on_progress,
                                      const CancelToken& cancel);

}  // namespace kvarium::cpu
