#include "core/token_text.h"

#include <fmt/format.h>

#include "core/utf8.h"

namespace kvarium {
namespace {

// C0 controls and DEL are one byte; C1 controls, U+0080 to U+009F, are 0xC2 and one byte up to 0x9F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    const std::string_view character = bytes.substr(at, length == 0 ? 1 : length);
    if (length > 0 && !is_control(character)) {
      text += character;
    } else {
      for (const char byte : character) text += fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte));
    }
    at += character.size();
  }
  return text;
}

std::string TokenText::name(TokenId token) const { return printable(piece({}, token)); }

}  // namespace kvarium
