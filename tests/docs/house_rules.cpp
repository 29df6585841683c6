#include "tests/docs/house_rules.h"

#include <algorithm>
#include <functional>

namespace kvarium_test {
namespace {

struct Forbidden {
  std::string text;
  std::string reason;
};

/// One sentence for each line of `file` that has one of `forbidden`; `prepare` may take parts of the line away.
std::vector<std::string> search(const TextFile& file, const std::vector<Forbidden>& forbidden,
                                const std::function<std::string(const std::string&)>& prepare) {
  std::vector<std::string> sentences;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = prepare(lines[i]);
    for (const Forbidden& entry : forbidden) {
      if (line.find(entry.text) == std::string::npos) continue;
      sentences.push_back(file.path + ":" + std::to_string(i + 1) + ": " + entry.text + ": " + entry.reason);
    }
  }
  return sentences;
}

std::string as_is(const std::string& line) { return line; }
std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }
std::string without_cmake_comment(const std::string& line) { return line.substr(0, line.find('#')); }

}  // namespace

const std::vector<LongFile>& long_files() {
  static const std::vector<LongFile> kFiles;  // none at present: {"a/file.h", "the reason"}
  return kFiles;
}

std::vector<std::string> length_complaints(const TextFile& file, const std::vector<LongFile>& allowed) {
  const std::size_t num_lines = lines_of(file.text).size();
  const bool is_listed =
      std::any_of(allowed.begin(), allowed.end(), [&](const LongFile& entry) { return entry.path == file.path; });
  if (num_lines > kMostLines && !is_listed) {
    return {file.path + " has " + std::to_string(num_lines) + " lines; split it, or list it with a reason"};
  }
  if (num_lines <= kMostLines && is_listed) return {file.path + " is short enough: take it off the list"};
  return {};
}

std::vector<std::string> unfinished_work(const TextFile& file) {
  // Put together from halves, so that this file does not find itself.
  static const std::vector<Forbidden> kWords = {{std::string("TO") + "DO", "finish it, or leave it out"},
                                                {std::string("FIX") + "ME", "mend it"}};
  return search(file, kWords, as_is);
}

std::vector<std::string> unsupported_cpp(const TextFile& file) {
  static const std::vector<Forbidden> kNames = {
      {std::string("std::") + "format", "g++ 12 lacks it; use fmt::format"},
      {std::string("<for") + "mat>", "g++ 12 lacks it; use <fmt/format.h>"},
      {std::string("std::") + "ranges", "clang 14 rejects them; use the algorithms that take iterators"},
      {std::string("std::") + "views", "clang 14 rejects them; write the loop"},
      {std::string("<ran") + "ges>", "clang 14 rejects them; use <algorithm>"},
      {std::string("std::") + "jthread", "libc++ 13 lacks it; join a std::thread"},
      {std::string("std::") + "bit_cast", "libc++ 13 lacks it; use memcpy"},
      {std::string("std::") + "source_location", "libc++ 13 lacks it"},
  };
  return search(file, kNames, without_comment);
}

std::vector<std::string> titles_with_dash(const TextFile& file) {
  static const std::vector<Forbidden> kStarts = {{"TEST_CASE(\"-", "Catch2 takes this title for an option; reword it"}};
  return search(file, kStarts, as_is);
}

std::vector<std::string> downloads(const TextFile& file) {
  static const std::string kReason = "nothing is downloaded but by the package manager";
  static const std::vector<Forbidden> kCommands = {{std::string("Fetch") + "Content", kReason},
                                                   {std::string("External") + "Project", kReason},
                                                   {std::string("file(DOWN") + "LOAD", kReason}};
  return search(file, kCommands, without_cmake_comment);
}

}  // namespace kvarium_test
