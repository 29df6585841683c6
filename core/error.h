#pragma once
// Two kinds of failure. Both carry one line: what is wrong, where, what to do.

#include <stdexcept>

namespace kvarium {

/// Something a person gave us is wrong: a file, a flag, a prompt, a trace. Programs print it and exit with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A caller broke a precondition (a double free, a position past the end). State is as it was before the call.
class MisuseError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace kvarium
