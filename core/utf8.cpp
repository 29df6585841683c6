#include "core/utf8.h"

namespace kvarium {
namespace {

struct LeadByte {
  std::size_t length;         // of the whole character
  unsigned char second_low;   // the range of the second byte: narrower than 0x80..0xBF where an overlong form, a
  unsigned char second_high;  // surrogate or a number above U+10FFFF would begin
};

LeadByte lead(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::size_t utf8_length(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size()) return 0;
  const LeadByte first = lead(static_cast<unsigned char>(bytes[at]));
  if (first.length > bytes.size() - at) return 0;
  for (std::size_t i = 1; i < first.length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[at + i]);
    const unsigned char low = i == 1 ? first.second_low : 0x80;
    const unsigned char high = i == 1 ? first.second_high : 0xBF;
    if (byte < low || byte > high) return 0;
  }
  return first.length;
}

}  // namespace kvarium
