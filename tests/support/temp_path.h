#pragma once
// Names for files of a test. Test programs run side by side: a fixed name would be two tests' at once.

#include <unistd.h>

#include <filesystem>
#include <string>

namespace kvarium_test {

/// In the folder for temporary files, a name of this process's own that ends with `name`.
inline std::filesystem::path temp_path(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("kvarium-" + std::to_string(getpid()) + "-" + name);
}

}  // namespace kvarium_test
