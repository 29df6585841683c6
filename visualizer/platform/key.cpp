#include "visualizer/platform/key.h"

#include <array>
#include <cctype>
#include <utility>

namespace kvarium::ui {
namespace {

constexpr std::array<std::pair<Key, std::string_view>, 18> kNames{{
    {Key::space, "Space"},
    {Key::escape, "Esc"},
    {Key::enter, "Enter"},
    {Key::tab, "Tab"},
    {Key::backspace, "Backspace"},
    {Key::insert, "Insert"},
    {Key::del, "Delete"},
    {Key::right, "Right"},
    {Key::left, "Left"},
    {Key::down, "Down"},
    {Key::up, "Up"},
    {Key::page_up, "PageUp"},
    {Key::page_down, "PageDown"},
    {Key::home, "Home"},
    {Key::end, "End"},
    {Key::left_shift, "Shift"},
    {Key::left_control, "Ctrl"},
    {Key::left_alt, "Alt"},
}};

/// The characters that US keyboards make without and with Shift, by key.
constexpr std::array<std::pair<Key, std::string_view>, 11> kSymbols{{
    {Key::apostrophe, "'\""},
    {Key::comma, ",<"},
    {Key::minus, "-_"},
    {Key::period, ".>"},
    {Key::slash, "/?"},
    {Key::semicolon, ";:"},
    {Key::equal, "=+"},
    {Key::left_bracket, "[{"},
    {Key::backslash, "\\|"},
    {Key::right_bracket, "]}"},
    {Key::space, "  "},
}};

constexpr std::string_view kShiftedDigits = ")!@#$%^&*(";

Key offset(Key base, int by) { return static_cast<Key>(static_cast<int>(base) + by); }

std::string key_name(Key key) {
  const int code = static_cast<int>(key);
  for (const auto& [known, name] : kNames) {
    if (known == key) return std::string(name);
  }
  if (key >= Key::f1 && key <= Key::f12) return "F" + std::to_string(code - static_cast<int>(Key::f1) + 1);
  if (code > 32 && code < 127) return std::string(1, static_cast<char>(code));
  return "?";
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i]))) return false;
  }
  return true;
}

Key parse_key(std::string_view text) {
  for (const auto& [key, name] : kNames) {
    if (same_ignoring_case(name, text)) return key;
  }
  if (text.size() == 1) {
    const Chord chord = us_key_of(static_cast<char>(std::tolower(static_cast<unsigned char>(text[0]))));
    return chord.modifiers.shift ? Key::none : chord.key;
  }
  if (text.size() >= 2 && text.size() <= 3 && (text[0] == 'F' || text[0] == 'f')) {
    int number = 0;
    for (const char digit : text.substr(1)) {
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0) return Key::none;
      number = number * 10 + (digit - '0');
    }
    if (number >= 1 && number <= 12) return offset(Key::f1, number - 1);
  }
  return Key::none;
}

}  // namespace

std::string name_of(const Chord& chord) {
  if (chord.character != 0) return std::string(1, chord.character);
  std::string name;
  if (chord.modifiers.ctrl) name += "Ctrl+";
  if (chord.modifiers.alt) name += "Alt+";
  if (chord.modifiers.shift) name += "Shift+";
  return name + key_name(chord.key);
}

std::optional<Chord> parse_chord(std::string_view text) {
  Chord chord;
  const auto take = [&text](std::string_view prefix) {
    if (text.size() <= prefix.size() || !same_ignoring_case(text.substr(0, prefix.size()), prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    if (take("Ctrl+")) more = chord.modifiers.ctrl = true;
    if (take("Shift+")) more = chord.modifiers.shift = true;
    if (take("Alt+")) more = chord.modifiers.alt = true;
  }
  chord.key = parse_key(text);
  if (chord.key == Key::none && text.size() == 1 && chord.modifiers == Modifiers{}) {
    chord = us_key_of(text[0]);  // a symbol such as ? that needs Shift
  }
  if (chord.key == Key::none) return std::nullopt;
  return chord;
}

Chord us_key_of(char character) {
  if (character >= 'a' && character <= 'z') return {offset(Key::letter_a, character - 'a'), {}, 0};
  if (character >= 'A' && character <= 'Z') return {offset(Key::letter_a, character - 'A'), {.shift = true}, 0};
  if (character >= '0' && character <= '9') return {offset(Key::digit_0, character - '0'), {}, 0};
  if (const auto digit = kShiftedDigits.find(character); digit != std::string_view::npos) {
    return {offset(Key::digit_0, static_cast<int>(digit)), {.shift = true}, 0};
  }
  for (const auto& [key, characters] : kSymbols) {
    if (characters[0] == character) return {key, {}, 0};
    if (characters[1] == character) return {key, {.shift = true}, 0};
  }
  return {};
}

char character_of(const Chord& chord) {
  if (chord.character != 0) return chord.character;
  if (chord.modifiers.ctrl || chord.modifiers.alt) return 0;
  const bool shift = chord.modifiers.shift;
  if (chord.key >= Key::letter_a && chord.key <= Key::letter_z) {
    const int code = static_cast<int>(chord.key);
    return static_cast<char>(shift ? code : code - 'A' + 'a');
  }
  if (chord.key >= Key::digit_0 && chord.key <= Key::digit_9) {
    const int digit = static_cast<int>(chord.key) - static_cast<int>(Key::digit_0);
    return shift ? kShiftedDigits[static_cast<std::size_t>(digit)] : static_cast<char>('0' + digit);
  }
  for (const auto& [key, characters] : kSymbols) {
    if (key == chord.key) return characters[shift ? 1 : 0];
  }
  return 0;
}

}  // namespace kvarium::ui
