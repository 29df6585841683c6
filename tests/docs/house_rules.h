#pragma once
// The few rules about files that a compiler does not know.

#include <string>
#include <vector>

#include "tests/docs/repository.h"

namespace kvarium_test {

inline constexpr std::size_t kMostLines = 400;

/// A file that may be longer than kMostLines, and why.
struct LongFile {
  std::string path;
  std::string reason;
};

const std::vector<LongFile>& long_files();

/// A sentence if the file is too long and not listed, or listed and short: a list that nobody needs must go.
std::vector<std::string> length_complaints(const TextFile& file, const std::vector<LongFile>& allowed);

/// Words that mark unfinished work, in any text.
std::vector<std::string> unfinished_work(const TextFile& file);

/// Parts of C++20 that the compilers and standard libraries of the supported systems lack, outside comments.
std::vector<std::string> unsupported_cpp(const TextFile& file);

/// Titles of test cases that start with a dash: Catch2 takes them for an option, and ctest can never run them.
std::vector<std::string> titles_with_dash(const TextFile& file);

/// CMake commands that download something while building.
std::vector<std::string> downloads(const TextFile& file);

}  // namespace kvarium_test
