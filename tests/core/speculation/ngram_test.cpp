#include "core/speculation/ngram.h"

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::ids;

namespace {

using Tokens = std::vector<TokenId>;

Tokens draft(const Tokens& tokens, std::uint32_t shortest, std::uint32_t longest, std::uint32_t most,
             NgramMatch match = NgramMatch::earliest) {
  return ngram_draft(tokens, {shortest, longest, match}, most);
}

const Tokens kText = ids({1, 2, 3, 4, 1, 2, 3});

}  // namespace

// The table that vLLM's own function gives.
TEST_CASE("what followed the last tokens before is drafted") {
  CHECK(draft(kText, 2, 2, 2) == ids({4, 1}));
  CHECK(draft(kText, 2, 4, 2) == ids({4, 1}));
  CHECK(draft(ids({1, 2, 3, 4, 1, 2, 3, 5, 1, 2}), 2, 2, 2) == ids({3, 4}));
}

TEST_CASE("no more is drafted than stands in the text, and no more than there is room for") {
  CHECK(draft(kText, 2, 2, 100) == ids({4, 1, 2, 3}));
  CHECK(draft(kText, 2, 2, 1) == ids({4}));  // a context of 8, of which 7 are taken
  CHECK(draft(kText, 2, 2, 0) == Tokens{});  // a context of 7
}

TEST_CASE("the longest n-gram that occurs decides") {
  CHECK(draft(ids({7, 8, 1, 7, 8, 2, 7, 8}), 2, 3, 2) == ids({1, 7}));
  CHECK(draft(ids({7, 8, 1, 7, 8, 2, 7, 8}), 1, 1, 1) == ids({1}));
  CHECK(draft(ids({8, 1, 7, 8, 2, 7, 8}), 1, 3, 1) == ids({2}));  // "7 8" before "8"
}

TEST_CASE("of equal matches the earliest is taken, as vLLM does, or the latest") {
  const Tokens tokens = ids({7, 8, 1, 7, 8, 2, 7, 8});
  CHECK(draft(tokens, 2, 2, 1, NgramMatch::earliest) == ids({1}));
  CHECK(draft(tokens, 2, 2, 1, NgramMatch::latest) == ids({2}));
}

TEST_CASE("an occurrence may overlap with the end of the text") {
  CHECK(draft(ids({5, 5, 5, 5}), 1, 3, 3) == ids({5}));
  CHECK(draft(ids({5, 5, 5, 5, 5, 5}), 1, 3, 4) == ids({5, 5, 5}));
}

TEST_CASE("nothing is drafted where nothing repeats or the text is too short") {
  CHECK(draft(ids({1, 2, 3, 4, 5}), 2, 2, 2) == Tokens{});
  CHECK(draft(kText, 4, 5, 2) == Tokens{});
  CHECK(draft(ids({1}), 2, 3, 2) == Tokens{});
  CHECK(draft({}, 1, 3, 2) == Tokens{});
}

TEST_CASE("lengths that match everywhere or nowhere are refused") {
  CHECK_THROWS_WITH(NgramProposer({.shortest = 0, .longest = 2}), contains("0 tokens"));
  CHECK_THROWS_AS(NgramProposer({.shortest = 3, .longest = 2}), InputError);
}

TEST_CASE("each request is looked up in its own text") {
  NgramProposer proposer({.shortest = 1, .longest = 2});
  const Tokens other = ids({9, 6, 9});
  const std::vector<DraftRequest> requests{{RequestId{0}, kText, 2, nullptr}, {RequestId{1}, other, 2, nullptr}};
  const std::vector<Draft> drafts = proposer.propose(requests);
  CHECK(drafts[0].tokens == ids({4, 1}));
  CHECK(drafts[1].tokens == ids({6, 9}));
  CHECK(drafts[1].probabilities.empty());
}
