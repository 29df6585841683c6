#include "core/speculation/draft_length.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace kvarium;

namespace {

DraftLength after(int rounds, std::uint32_t accepted) {
  DraftLength length({.most = 8, .adaptive = true, .cost = .1});
  for (int i = 0; i < rounds; ++i) {
    const std::uint32_t drafted = length.next();
    length.observe(std::min(drafted, accepted + 1), std::min(drafted, accepted));
  }
  return length;
}

}  // namespace

TEST_CASE("a fixed length stays as it is") {
  DraftLength length({.most = 3});
  for (int i = 0; i < 5; ++i) length.observe(1, 0);
  CHECK(length.next() == 3);
}

TEST_CASE("an adaptive length begins with the most, shrinks when drafts are rejected, and grows again") {
  CHECK(after(0, 0).next() == 8);
  CHECK(after(30, 0).next() == 1);  // never 0: the acceptance must go on being measured
  CHECK(after(30, 8).next() == 8);
  DraftLength length = after(30, 0);
  for (int i = 0; i < 30; ++i) length.observe(length.next(), length.next());
  CHECK(length.next() == 8);
}

TEST_CASE("only drafts that were judged count: what stands behind a rejection may have been right") {
  DraftLength length({.most = 8, .adaptive = true});
  length.observe(2, 1);
  CHECK(length.acceptance() == .5);
  DraftLength whole({.most = 8, .adaptive = true});
  whole.observe(8, 8);
  CHECK(whole.acceptance() == 1);
}
