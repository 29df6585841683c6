#pragma once
// The keys that the program knows, with the numbers that GLFW gives them, whatever version of Dear ImGui is used.

#include <optional>
#include <string>
#include <string_view>

namespace kvarium::ui {

/// A key by its place on a US keyboard. The value is GLFW's key code (window.cpp checks that).
enum class Key : int {
  none = 0,
  space = 32,
  apostrophe = 39,
  comma = 44,
  minus = 45,
  period = 46,
  slash = 47,
  digit_0 = 48,  ///< digit n is digit_0 + n
  digit_9 = 57,
  semicolon = 59,
  equal = 61,
  letter_a = 65,  ///< letter x is letter_a + (x - 'A')
  letter_z = 90,
  left_bracket = 91,
  backslash = 92,
  right_bracket = 93,
  escape = 256,
  enter = 257,
  tab = 258,
  backspace = 259,
  insert = 260,
  del = 261,
  right = 262,
  left = 263,
  down = 264,
  up = 265,
  page_up = 266,
  page_down = 267,
  home = 268,
  end = 269,
  f1 = 290,  ///< Fn is f1 + (n - 1)
  f12 = 301,
  keypad_enter = 335,
  left_shift = 340,
  left_control = 341,
  left_alt = 342,
  left_super = 343,
};

struct Modifiers {
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const Modifiers&) const = default;
};

/// A key with its modifiers, or (character != 0) a typed character, wherever the keyboard has it: '?' is Shift+/ on a
/// US keyboard and Shift+ß on a German one.
struct Chord {
  Key key = Key::none;
  Modifiers modifiers;
  char character = 0;
  bool operator==(const Chord&) const = default;
};

/// "Space", "Ctrl+Shift+K", "F11", "?": what a person reads.
std::string name_of(const Chord& chord);

/// The reverse of name_of(); letters in either case. Nothing when the text names no key.
std::optional<Chord> parse_chord(std::string_view text);

/// The key that makes the character on a US keyboard, with Shift where it is needed. Key::none when there is none.
Chord us_key_of(char character);

/// The character that the chord types on a US keyboard; 0 when it types none.
char character_of(const Chord& chord);

}  // namespace kvarium::ui
