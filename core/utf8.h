#pragma once
// Where characters begin and end in UTF-8 bytes (RFC 3629).

#include <cstddef>
#include <string_view>

namespace kvarium {

/// The length in bytes of the character that starts at bytes[at], 1 to 4; 0 when no valid one starts there: a stray
/// continuation byte, a cut or overlong form, half of a surrogate pair, or a number above U+10FFFF.
std::size_t utf8_length(std::string_view bytes, std::size_t at);

}  // namespace kvarium
