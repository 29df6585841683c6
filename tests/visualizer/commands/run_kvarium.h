#pragma once
// The program kvarium as these tests run it.

#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/run_program.h"

namespace kvarium_test {

/// Without a display, so that no test opens a window on somebody's desktop.
inline Outcome run_kvarium(const std::string& arguments) {
  return run_program("env", std::string("-u DISPLAY -u WAYLAND_DISPLAY '") + KVARIUM_PROGRAM + "' " + arguments);
}

/// The device on which every write fails. Says that the check is skipped where it is missing: a redirection would then
/// make a file of this name.
inline bool has_full_device() {
  const bool there = std::filesystem::is_character_file("/dev/full");
  if (!there) WARN("skipped: /dev/full is no device here");
  return there;
}

}  // namespace kvarium_test
