#include "cpu_reference/loaders/mapped_file.h"

#include <algorithm>

#include "tests/support/refusal.h"
#include "tests/support/scratch.h"

using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::ScratchFolder;

TEST_CASE("a mapped file has the bytes of the file, on a 64-byte boundary") {
  const ScratchFolder folder;
  const MappedFile file(folder.write("abc", "abc"));
  REQUIRE(file.bytes().size() == 3);
  CHECK(file.bytes()[2] == std::byte{'c'});
  CHECK(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64 == 0);
}

TEST_CASE("bytes whose pages were dropped can be read again") {
  const ScratchFolder folder;
  const std::string bytes(100'000, 'x');
  const MappedFile file(folder.write("many", bytes));
  const auto count = [&] { return std::count(file.bytes().begin(), file.bytes().end(), std::byte{'x'}); };
  CHECK(count() == 100'000);
  file.drop_pages(file.bytes());
  file.drop_pages(file.bytes().subspan(3, 5));
  CHECK(count() == 100'000);
}

TEST_CASE("what cannot be mapped is named in one line") {
  const ScratchFolder folder;
  const auto line = [](const std::filesystem::path& path) {
    return kvarium_test::refusal([&] { MappedFile file(path); });
  };
  CHECK_THAT(line(folder.path() / "none"), contains("none: there is no such file: check the path"));
  CHECK_THAT(line(folder.path()), contains("it is not a file"));
  CHECK_THAT(line(folder.write("empty", "")), contains("it is empty"));
  CHECK_THAT(line("/dev/null"), contains("it is not a file"));
}
