#pragma once
// The program kvarium as these tests run it.

#include <string>

#include "tests/support/run_program.h"

namespace kvarium_test {

inline Outcome run_kvarium(const std::string& arguments) { return run_program(KVARIUM_PROGRAM, arguments); }

}  // namespace kvarium_test
