#include "cpu_reference/tokenizer/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"

namespace kvarium::cpu {
namespace {

std::int32_t code_point(std::string_view character) {
  std::int32_t code = -1;
  utf8proc_iterate(reinterpret_cast<const std::uint8_t*>(character.data()),
                   static_cast<utf8proc_ssize_t>(character.size()), &code);
  return code;
}

bool is_white_space(std::int32_t code) {
  if (code >= '\t' && code <= '\r') return true;
  if (code == 0x85) return true;  // a control character, and yet white space
  const utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

CharacterKind kind_of(std::int32_t code) {
  if (code == '\r' || code == '\n') return CharacterKind::line_break;
  if (is_white_space(code)) return CharacterKind::space;
  const utf8proc_category_t category = utf8proc_category(code);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return CharacterKind::letter;
  if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return CharacterKind::number;
  return CharacterKind::other;
}

/// The kinds of ASCII, which most text is.
const std::array<CharacterKind, 128>& ascii_kinds() {
  static const std::array<CharacterKind, 128> kKinds = [] {
    std::array<CharacterKind, 128> kinds{};
    for (std::size_t code = 0; code < kinds.size(); ++code) kinds[code] = kind_of(static_cast<std::int32_t>(code));
    return kinds;
  }();
  return kKinds;
}

/// Appends the canonical decomposition of one character; its marks are not sorted yet.
void append_decomposed(std::int32_t code, std::vector<std::int32_t>& codes) {
  std::array<std::int32_t, 32> parts{};  // the longest canonical decomposition has four
  int last_boundary_class = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      code, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &last_boundary_class);
  if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) throw MisuseError("no Unicode character");
  codes.insert(codes.end(), parts.begin(), parts.begin() + count);
}

/// Canonical order: each run of marks by combining class, equals as they stood.
void sort_marks(std::vector<std::int32_t>& codes) {
  const auto mark_class = [](std::int32_t code) { return utf8proc_get_property(code)->combining_class; };
  for (auto start = codes.begin(); start != codes.end();) {
    const auto end = std::find_if(start, codes.end(), [&](std::int32_t code) { return mark_class(code) == 0; });
    std::stable_sort(start, end, [&](std::int32_t a, std::int32_t b) { return mark_class(a) < mark_class(b); });
    start = end == codes.end() ? end : end + 1;
  }
}

void append_composed(std::string_view valid, std::string& text) {
  std::vector<std::int32_t> codes;
  codes.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t length = utf8_length(valid, at);
    append_decomposed(code_point(valid.substr(at, length)), codes);
    at += length;
  }
  sort_marks(codes);
  const utf8proc_ssize_t count =
      utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (count < 0) throw MisuseError("no Unicode text");
  std::array<std::uint8_t, 4> bytes{};
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const utf8proc_ssize_t length = utf8proc_encode_char(codes[static_cast<std::size_t>(i)], bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
  }
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 128) return {ascii_kinds()[first], 1};
  const std::size_t length = utf8_length(text, at);
  if (length == 0) return {CharacterKind::other, 1};
  return {kind_of(code_point(text.substr(at, length))), static_cast<std::uint32_t>(length)};
}

std::string compose(std::string_view text) {
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char byte) { return (byte & 0x80) == 0; });
  if (is_ascii) return std::string(text);
  std::string composed;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size()) {
      const std::size_t length = utf8_length(text, end);
      if (length == 0) break;
      end += length;
    }
    append_composed(text.substr(start, end - start), composed);
    if (end < text.size()) composed += text[end];
    start = end + 1;
  }
  return composed;
}

}  // namespace kvarium::cpu
