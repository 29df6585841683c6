#pragma once
// The files beside a tokenizer.json that say which of its tokens begin and end a text, and how a chat is written.

#include <filesystem>
#include <vector>

#include "cpu_reference/tokenizer/vocabulary.h"

namespace kvarium::cpu {

/// Adds what tokenizer_config.json, chat_template.jinja and generation_config.json in `folder` say to `specials`, and
/// the ends of a turn that only their names tell. A file that is missing says nothing, nor does an empty
/// chat_template.jinja. InputError naming the file when one cannot be read, names a token that is no piece, or is a
/// chat_template.jinja of more than 1 MB.
void read_tokenizer_config(const std::filesystem::path& folder, const std::vector<Piece>& pieces,
                           SpecialTokens& specials);

}  // namespace kvarium::cpu
