#pragma once
// The tokenizer that a GGUF file carries: tokenizer.ggml.model is "llama" (SentencePiece) or "gpt2" (bytes).

#include <cstddef>
#include <memory>
#include <optional>

#include "cpu_reference/loaders/gguf_metadata.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

/// `vocab`: the rows of the model's embedding; rows without a piece become unused tokens. The text is not brought to
/// normalization form C: the file does not say whether it should be. tokenizer.ggml.add_space_prefix counts for "llama"
/// only: llama.cpp, whose format this is, puts no space before the text of a "gpt2" vocabulary. InputError naming the
/// file and the key that is missing, wrong or not supported; a "gpt2" vocabulary needs tokenizer.ggml.pre, the name of
/// its split rule.
std::shared_ptr<const Tokenizer> tokenizer_from_gguf(const GgufMetadata& metadata,
                                                     std::optional<std::size_t> vocab = {});

}  // namespace kvarium::cpu
