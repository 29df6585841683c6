#pragma once
// How GPT-2's vocabularies write bytes: each of the 256 as one visible character, so that a space is "Ġ" (U+0120).

#include <optional>
#include <string>
#include <string_view>

namespace kvarium::cpu {

/// The bytes that the symbols stand for; nothing when one of the characters stands for none.
std::optional<std::string> bytes_of_symbols(std::string_view symbols);
/// The symbols of the bytes.
std::string symbols_of_bytes(std::string_view bytes);

}  // namespace kvarium::cpu
