#include "lessons/kit/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace kvarium {
namespace {

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

/// The locale as the C library would choose it: the first of the three that is set.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(environment(name));
    if (locale.empty()) continue;
    for (char& c : locale) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return locale.find("UTF-8") != std::string::npos || locale.find("UTF8") != std::string::npos;
  }
  return false;
}

/// Bytes of the character that starts with `lead`.
std::size_t character_bytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  return byte < 0xE0 ? 2 : (byte < 0xF0 ? 3 : 4);
}

/// CJK and full-width forms lie in the three-byte range that starts with E2 BA or later, up to EF, and in plane 2.
bool is_wide(std::string_view character) {
  if (character.size() < 3) return false;
  const auto lead = static_cast<unsigned char>(character[0]);
  if (lead == 0xE2) return static_cast<unsigned char>(character[1]) >= 0xBA;
  return (lead >= 0xE3 && lead <= 0xED) || lead == 0xEF || character.size() == 4;
}

/// A piece that must not be broken: a word, or one wide character.
std::string_view next_piece(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != ' ') {
    const std::size_t bytes = std::min(character_bytes(text[end]), text.size() - end);
    if (is_wide(text.substr(end, bytes))) return text.substr(0, end == 0 ? bytes : end);
    end += bytes;
  }
  return text.substr(0, end);
}

}  // namespace

TerminalAbilities terminal_abilities() {
  TerminalAbilities can;
  const bool out = isatty(STDOUT_FILENO) != 0;
  can.interactive = out && isatty(STDIN_FILENO) != 0;
  can.colour = out && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  can.utf8 = locale_is_utf8();
  winsize size{};
  if (out && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) can.width = size.ws_col;
  return can;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t bytes = std::min(character_bytes(text[0]), text.size());
    count += is_wide(text.substr(0, bytes)) ? 2 : 1;
    text.remove_prefix(bytes);
  }
  return count;
}

std::string wrap(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  bool blank = false;  // a blank stands before the next piece, unless the line ends there
  while (!text.empty()) {
    if (text[0] == ' ') {
      blank = column > 0;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view piece = next_piece(text);
    const std::size_t wide = columns(piece);
    if (column > 0 && column + (blank ? 1 : 0) + wide > width) {
      lines += '\n';
      column = 0;
    } else if (blank) {
      lines += ' ';
      ++column;
    }
    lines += piece;
    column += wide;
    blank = false;
    text.remove_prefix(piece.size());
  }
  return lines + '\n';
}

std::string to_ascii(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kSigns{{{"→", "->"},
                                                                                         {"←", "<-"},
                                                                                         {"·", "."},
                                                                                         {"×", "x"},
                                                                                         {"█", "#"},
                                                                                         {"▒", "+"},
                                                                                         {"░", "-"},
                                                                                         {"–", "-"},
                                                                                         {"—", "-"},
                                                                                         {"…", "..."},
                                                                                         {"²", "^2"},
                                                                                         {"√", "sqrt "},
                                                                                         {"Σ", "sum "},
                                                                                         {"’", "'"},
                                                                                         {"“", "\""},
                                                                                         {"”", "\""}}};
  std::string ascii;
  while (!text.empty()) {
    const std::size_t bytes = std::min(character_bytes(text[0]), text.size());
    const std::string_view character = text.substr(0, bytes);
    const auto* const sign =
        std::find_if(kSigns.begin(), kSigns.end(), [&](const auto& known) { return known.first == character; });
    if (static_cast<unsigned char>(character[0]) < 0x80) {
      ascii += character;
    } else {
      ascii += sign == kSigns.end() ? std::string_view("?") : sign->second;
    }
    text.remove_prefix(bytes);
  }
  return ascii;
}

}  // namespace kvarium
