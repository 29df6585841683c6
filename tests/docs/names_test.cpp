// Every path, symbol, option and link in README.md and docs/ exists. The rules are in names.h.

#include "tests/docs/names.h"
#include "tests/support/catch.h"

using namespace kvarium_test;

namespace {

/// A repository of two files, to plant mistakes in documents about it.
Repository small_repository() {
  return {KVARIUM_SOURCE_DIR,
          {{"core/blocks/block_pool.h", "class BlockPool { int slot_of(int pos); };  // see show()"},
           {"lessons/04_paged_blocks.cpp", "app.add_option(\"--step,-s\", step);"}}};
}

std::string missing(const std::string& markdown) {
  const Repository repository = small_repository();
  return joined(KnownNames(repository).missing_from({"docs/page.md", markdown}));
}

}  // namespace

TEST_CASE("every name in the documents exists") {
  const Repository repository = read_repository(KVARIUM_SOURCE_DIR);
  const KnownNames names(repository);
  std::vector<std::string> sentences;
  std::size_t num_documents = 0;
  for (const TextFile& file : repository.files) {
    if (!is_document(file.path)) continue;
    ++num_documents;
    for (const std::string& sentence : names.missing_from(file)) sentences.push_back(sentence);
  }
  CHECK(num_documents >= 3);
  CHECK(joined(sentences) == "");
}

TEST_CASE("a name is judged by its look") {
  CHECK(kind_of("core/blocks/block_pool.h") == NameKind::path);
  CHECK(kind_of("core/blocks/block_pool.h:12") == NameKind::path);
  CHECK(kind_of("./run") == NameKind::path);
  CHECK(kind_of("block_pool.h") == NameKind::file_name);
  CHECK(kind_of("04_paged_blocks") == NameKind::lesson);
  CHECK(kind_of("BlockPool") == NameKind::symbol);
  CHECK(kind_of("BlockTable::slot_of") == NameKind::symbol);
  CHECK(kind_of("slot_of(pos)") == NameKind::symbol);
  CHECK(kind_of("show()") == NameKind::symbol);
  CHECK(kind_of("kMostLines") == NameKind::symbol);
  CHECK(kind_of("--step 40") == NameKind::option);
  CHECK(kind_of("kvarium text --step 40") == NameKind::command);
}

TEST_CASE("words, notation and what belongs to others are not judged") {
  for (const char* text : {"World", "const World&", "free 1 2 3 | used 0x2", "13/8=1", "/usr/bin", "build/release",
                           "Space", "std::vector", "table[1]=3", "out.png", "softmax(x)"}) {
    INFO(text);
    CHECK(kind_of(text) == NameKind::none);
  }
}

TEST_CASE("a document whose names exist has nothing missing") {
  CHECK(missing("`BlockPool::slot_of(pos)`, `show()`, `block_pool.h`, `core/`, `--step`, [page](../core/ids.h)") == "");
  CHECK(missing("```\nkvarium text --step 40\n`BlockHeap` in a drawing\n```") == "");
}

TEST_CASE("a planted name that does not exist is found, with its line") {
  CHECK(missing("fine\n`core/block_heap.h`") ==
        "docs/page.md:2: `core/block_heap.h`: no such path (is it none? then write it without backticks)");
  CHECK(missing("`block_heap.h`") == "docs/page.md:1: `block_heap.h`: no such file");
  CHECK(missing("`05_gone`") == "docs/page.md:1: `05_gone`: no such file");
  CHECK(missing("`BlockHeap` and `BlockPool`") == "docs/page.md:1: `BlockHeap`: no source has this name");
  CHECK(missing("`BlockPool::heap`") == "docs/page.md:1: `BlockPool::heap`: no source has this name");
  CHECK(missing("`slot`, `slot()`") == "docs/page.md:1: `slot()`: no source has this name");
  CHECK(missing("`--steps 3`") == "docs/page.md:1: `--steps 3`: no source or script has this option");
  CHECK(missing("```\nkvarium text --steps 3\n```") ==
        "docs/page.md:2: `kvarium text --steps 3`: no source or script has this option");
  CHECK(missing("[page](gone.md)") == "docs/page.md:1: `gone.md`: the link leads nowhere");
}
