#pragma once
// Where in a kernel something happens. As a default argument it names the line of the caller.

#include <string>
#include <string_view>

namespace kvarium::cuda::emulator {

struct Site {
  const char* file = "";
  int line = 0;

  static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  bool operator==(const Site& other) const { return line == other.line && std::string_view(file) == other.file; }
};

/// "store_kv.cuh:31": the file without its folders.
std::string text_of(const Site& site);

}  // namespace kvarium::cuda::emulator
