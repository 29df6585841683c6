#pragma once
// The data folder that may lie beside the repository: stories260K and a trace.

#include <cstdlib>
#include <filesystem>

namespace kvarium_test {

/// What KVARIUM_SHARED_DATA names, else ../shared/data. Whether anything is there is up to the caller: a test whose
/// file is missing skips, and says so.
inline std::filesystem::path shared_data_folder() {
  const char* named = std::getenv("KVARIUM_SHARED_DATA");
  return named != nullptr ? std::filesystem::path(named) : std::filesystem::path(KVARIUM_SOURCE_DIR) / "../shared/data";
}

}  // namespace kvarium_test
