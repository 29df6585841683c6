// Rules about files that a compiler does not know: length, unfinished work, portability, no downloads.

#include "tests/docs/house_rules.h"
#include "tests/support/catch.h"

using namespace kvarium_test;

namespace {

bool is_cmake(const std::string& path) { return ends_with(path, "CMakeLists.txt") || ends_with(path, ".cmake"); }

/// What `check` says about every file of the repository that `concerns` it.
template <typename Check, typename Concerns>
std::string complaints(const Check& check, const Concerns& concerns) {
  std::vector<std::string> sentences;
  for (const TextFile& file : read_repository(KVARIUM_SOURCE_DIR).files) {
    if (!concerns(file.path)) continue;
    for (const std::string& sentence : check(file)) sentences.push_back(sentence);
  }
  return joined(sentences);
}

bool any(const std::string&) { return true; }

std::string text_of_lines(std::size_t num_lines) {
  std::string text;
  for (std::size_t i = 0; i < num_lines; ++i) text += "line\n";
  return text;
}

}  // namespace

TEST_CASE("no file is longer than 400 lines, except those listed with a reason") {
  CHECK(complaints([](const TextFile& file) { return length_complaints(file, long_files()); }, any) == "");
}

TEST_CASE("no file marks unfinished work") { CHECK(complaints(unfinished_work, any) == ""); }

TEST_CASE("no source uses a part of C++20 that a supported compiler lacks") {
  CHECK(complaints(unsupported_cpp, is_source) == "");
}

TEST_CASE("no title of a test case starts with a dash") {
  CHECK(complaints(titles_with_dash,
                   [](const std::string& path) { return is_source(path) && !starts_with(path, "tests/docs/"); }) == "");
}

TEST_CASE("no CMake file downloads anything") { CHECK(complaints(downloads, is_cmake) == ""); }

TEST_CASE("a file of 401 lines is found, and a listed file that became short too") {
  const std::vector<LongFile> allowed = {{"core/listed.cpp", "a reason"}};
  CHECK(length_complaints({"core/a.cpp", text_of_lines(400)}, allowed).empty());
  CHECK(joined(length_complaints({"core/a.cpp", text_of_lines(401)}, allowed)) ==
        "core/a.cpp has 401 lines; split it, or list it with a reason");
  CHECK(length_complaints({"core/listed.cpp", text_of_lines(401)}, allowed).empty());
  CHECK(joined(length_complaints({"core/listed.cpp", text_of_lines(3)}, allowed)) ==
        "core/listed.cpp is short enough: take it off the list");
}

TEST_CASE("planted words and names are found, with their line") {
  const std::string word = std::string("TO") + "DO";
  CHECK(joined(unfinished_work({"docs/a.md", "fine\n" + word + " later"})) ==
        "docs/a.md:2: " + word + ": finish it, or leave it out");
  const std::string name = std::string("std::") + "format";
  CHECK(joined(unsupported_cpp({"core/a.h", "auto text = " + name + "(\"{}\", 1);"})) ==
        "core/a.h:1: " + name + ": g++ 12 lacks it; use fmt::format");
  CHECK(unsupported_cpp({"core/a.h", "// " + name + " is missing here\nfmt::format(\"{}\", 1);"}).empty());
  CHECK(titles_with_dash({"tests/a.cpp", "TEST_CASE(\"--check\") {}"}).size() == 1);
  CHECK(titles_with_dash({"tests/a.cpp", "TEST_CASE(\"with --check\") {}"}).empty());
  CHECK(downloads({"CMakeLists.txt", "include(" + std::string("Fetch") + "Content)"}).size() == 1);
  CHECK(downloads({"CMakeLists.txt", "# no " + std::string("Fetch") + "Content here"}).empty());
}
