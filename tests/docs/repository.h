#pragma once
// The repository's own text files, read once: what the tests of this folder look at.

#include <filesystem>
#include <string>
#include <vector>

namespace kvarium_test {

struct TextFile {
  std::string path;  ///< from the repository's root, with forward slashes
  std::string text;
};

struct Repository {
  std::filesystem::path root;
  std::vector<TextFile> files;  ///< by path; build folders, .git and binary files are left out

  bool has(const std::string& path) const;  ///< a file or a folder, from the root
};

/// Reads sources, CMake files, scripts and documents below `root`.
Repository read_repository(const std::filesystem::path& root);

bool starts_with(const std::string& text, const std::string& start);
bool ends_with(const std::string& text, const std::string& end);
/// C++ and CUDA sources and headers.
bool is_source(const std::string& path);
/// README.md and what is under docs/.
bool is_document(const std::string& path);
/// The lines of a text, without their line ends.
std::vector<std::string> lines_of(const std::string& text);
/// "one\ntwo": what a failing check prints; empty when there is nothing to complain about.
std::string joined(const std::vector<std::string>& sentences);

}  // namespace kvarium_test
