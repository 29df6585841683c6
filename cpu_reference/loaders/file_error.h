#pragma once
// The one line that a bad model file gets.

#include <string>
#include <string_view>

#include "core/error.h"

namespace kvarium::cpu {

/// An error that names the file already.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

/// FileError: "model file NAME: WHAT".
[[noreturn]] void fail_file(const std::string& file, const std::string& what);

/// A name out of a file as an error may show it: one line, printable, cut where it is long.
std::string shown(std::string_view name);

}  // namespace kvarium::cpu
