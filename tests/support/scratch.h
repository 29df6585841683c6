#pragma once
// Files and folders of a test's own, removed at its end.

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_path.h"

namespace kvarium_test {

/// A folder that is empty at first.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name = "folder") : path_(temp_path(name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kvarium_test
