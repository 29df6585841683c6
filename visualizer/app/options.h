#pragma once
// What the window and the picture without a window are started with.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvarium::ui {

/// What is shown. At most one of scenario, lesson and trace is meant; a scenario when none is named.
struct ShownOptions {
  std::string scenario = "S02";
  std::vector<std::string> set;  ///< "block_size=4": parameters of the scenario
  std::string lesson;            ///< id or number; empty: none
  std::string trace;             ///< file of a recorded run; empty: none
  std::string theme = "dark";    ///< or "light"
  float scale = 1;               ///< pixels a logical pixel
  std::string size = "1440x900";
};

/// A picture, or a script, without a display.
struct ViewOptions {
  ShownOptions shown;
  std::optional<std::uint64_t> step;  ///< nothing: the last but one, where memory is still held
  std::string select;                 ///< "block:3": what is selected; empty: nothing
  std::string tab;                    ///< "blocks" or "work"; empty: what suits the scenario
  std::string compare;                ///< "eviction=fifo": a second run beside the first; empty: none
  std::string screenshot;             ///< PNG file; empty: none
  std::string dump_ui;                ///< file with all that is on the screen, one JSON object a line; empty: none
  std::string script;                 ///< file of a script that is run first; empty: none
};

/// Opens the window and stays until it is closed. NoDisplay (platform/window.h) without a screen; InputError for
/// options that cannot be.
int run_window(const ShownOptions& options);
/// Draws without a display. Returns 0. InputError for options that cannot be; ScriptFailed from the script.
int run_view(const ViewOptions& options);

}  // namespace kvarium::ui
