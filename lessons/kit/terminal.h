#pragma once
// What the terminal can do, and text made to fit it.

#include <cstddef>
#include <string>
#include <string_view>

namespace kvarium {

struct TerminalAbilities {
  bool interactive = false;  ///< a person sits there: standard input and output are both a terminal
  bool colour = false;
  bool utf8 = true;
  std::size_t width = 80;  ///< columns
};

/// Of this process: terminals by isatty, colour off by NO_COLOR or TERM=dumb, UTF-8 by LC_ALL, LC_CTYPE or LANG, width
/// from the terminal. Text that is piped is plain and 80 columns wide.
TerminalAbilities terminal_abilities();

/// Columns that UTF-8 text takes: East Asian characters take two.
std::size_t columns(std::string_view text);
/// Lines of at most `width` columns, each ended by a newline; breaks at blanks and between East Asian characters. A
/// longer word stays whole.
std::string wrap(std::string_view text, std::size_t width);
/// The signs that Kvarium prints, in ASCII (-> for an arrow, # for a full block); other characters become '?'.
std::string to_ascii(std::string_view text);

}  // namespace kvarium
