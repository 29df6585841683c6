#include "tests/docs/repository.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace kvarium_test {
namespace {

namespace fs = std::filesystem;

bool is_skipped_folder(const std::string& name) {
  return name == ".git" || name == "build" || starts_with(name, "build-") || name == "images";
}

bool is_text_file(const std::string& path) {
  static const std::array<const char*, 10> kEndings = {".h",     ".cpp",  ".cuh",           ".cu",        ".sh", ".md",
                                                       ".cmake", ".json", "CMakeLists.txt", ".clang-tidy"};
  static const std::array<const char*, 3> kScripts = {"run", "test", ".ci/run"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return ends_with(path, ending); }) ||
         std::find(kScripts.begin(), kScripts.end(), path) != kScripts.end();
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

bool Repository::has(const std::string& path) const { return fs::exists(root / path); }

Repository read_repository(const fs::path& root) {
  Repository repository{root, {}};
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory()) {
      if (is_skipped_folder(entry->path().filename().string())) entry.disable_recursion_pending();
      continue;
    }
    const std::string path = entry->path().lexically_relative(root).generic_string();
    if (is_text_file(path)) repository.files.push_back({path, read_text(entry->path())});
  }
  std::sort(repository.files.begin(), repository.files.end(),
            [](const TextFile& left, const TextFile& right) { return left.path < right.path; });
  return repository;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_source(const std::string& path) {
  return ends_with(path, ".h") || ends_with(path, ".cpp") || ends_with(path, ".cuh") || ends_with(path, ".cu");
}

bool is_document(const std::string& path) {
  return ends_with(path, ".md") && (path == "README.md" || starts_with(path, "docs/"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "\n") + sentence;
  return text;
}

}  // namespace kvarium_test
