#pragma once
// The program kvarium as these tests run it.

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/run_program.h"

namespace kvarium_test {

/// Without a display, so that no test opens a window on somebody's desktop.
inline Outcome run_kvarium(const std::string& arguments) {
  return run_program("env", std::string("-u DISPLAY -u WAYLAND_DISPLAY '") + KVARIUM_PROGRAM + "' " + arguments);
}

/// Exit code 2, nothing on stdout, and one line on stderr that holds `part`.
inline void check_refused(const std::string& arguments, const std::string& part) {
  INFO(arguments);
  const Outcome outcome = run_kvarium(arguments);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.error.rfind("kvarium: ", 0) == 0);
  CHECK_THAT(outcome.error, contains(part));
  CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
}

/// The device on which every write fails. Says that the check is skipped where it is missing: a redirection would then
/// make a file of this name.
inline bool has_full_device() {
  const bool there = std::filesystem::is_character_file("/dev/full");
  if (!there) WARN("skipped: /dev/full is no device here");
  return there;
}

}  // namespace kvarium_test
