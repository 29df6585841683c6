#pragma once
// Hugging Face's tokenizer.json: byte pair encoding over bytes (GPT-2, Llama 3, Qwen, SmolLM), or over characters as
// SentencePiece does it (Llama 2, Mistral).

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

/// `path`: the tokenizer.json. Beside it, where they exist: tokenizer_config.json (begin and end token, chat template),
/// chat_template.jinja, and generation_config.json (more end tokens). `vocab`: the rows of the model's embedding; rows
/// without a piece become unused tokens. InputError naming the file, the place in it, and the part that is wrong or
/// not supported; in particular two pieces with one id, an id above 2^22, and ids with large gaps.
///
/// Added tokens are found in the text as it was written. One that is to be found in the normalized text ("normalized")
/// is refused where the normalizer touches what it is written with: a prepended space mark always does, replaced spaces
/// where it has a space or a mark, NFC where it is not in that form itself. Hugging Face's package also lets the tokens
/// that are not normalized go first where two overlap; here the one that starts first is taken.
std::shared_ptr<const Tokenizer> tokenizer_from_json(const std::filesystem::path& path,
                                                     std::optional<std::size_t> vocab = {});

}  // namespace kvarium::cpu
