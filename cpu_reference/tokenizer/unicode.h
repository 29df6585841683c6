#pragma once
// What Unicode says of characters: their kind, and the composed form of a text. A character that is newer than the
// installed utf8proc (2.8 knows Unicode 15) is of the kind other.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvarium::cpu {

/// As the split rules of tokenizers tell characters apart.
enum class CharacterKind : std::uint8_t {
  letter,      ///< the general categories L*
  number,      ///< N*
  line_break,  ///< \r and \n
  space,       ///< all other white space (the property White_Space)
  other,       ///< also marks, and bytes that are no valid UTF-8
};

struct Character {
  CharacterKind kind = CharacterKind::other;
  std::uint32_t length = 1;  ///< bytes
};

/// The character that starts at text[at]; a byte that starts none stands for itself.
Character character_at(std::string_view text, std::size_t at);

/// Normalization form C (Unicode Standard Annex 15): "e" and a combining accent become "é". Bytes that are no valid
/// UTF-8 stay as they are. O(n log n), whatever the marks.
std::string compose(std::string_view text);

}  // namespace kvarium::cpu
