#pragma once
// What a person is told when a file is bad.

#include <string>

#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium_test {

/// The line of the InputError that `open` throws; "accepted" when it throws none.
template <typename Open>
std::string refusal(const Open& open) {
  try {
    open();
  } catch (const kvarium::InputError& error) {
    const std::string what = error.what();
    CHECK(what.find('\n') == std::string::npos);
    return what;
  }
  return "accepted";
}

}  // namespace kvarium_test
