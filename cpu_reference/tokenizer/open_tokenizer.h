#pragma once
// The tokenizer of a model, without its weights.

#include <filesystem>
#include <memory>

#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

/// `path`: a GGUF file, a folder with a tokenizer.json, a tokenizer.json, or a tokenizer file of llama2.c (.bin).
/// InputError naming the file: missing, or none of these.
std::shared_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& path);

}  // namespace kvarium::cpu
