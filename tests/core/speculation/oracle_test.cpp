#include "core/speculation/oracle.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using kvarium_test::ids;

namespace {

std::vector<TokenId> draft(OracleProposer& oracle, const std::vector<TokenId>& tokens, std::uint32_t most) {
  const std::vector<DraftRequest> requests{{RequestId{0}, tokens, most, nullptr}};
  return oracle.propose(requests).front().tokens;
}

}  // namespace

TEST_CASE("the oracle is right as often as it is told, and then wrong by one") {
  OracleProposer oracle({ids({1, 2, 3, 4, 9})}, 10, always_right(2));
  CHECK(draft(oracle, ids({1}), 4) == ids({2, 3, 5, 0}));
  CHECK(draft(oracle, ids({1}), 1) == ids({2}));
  CHECK(draft(oracle, ids({1, 2, 3, 4}), 4) == ids({9}));
}

TEST_CASE("the oracle has nothing to say about a text that it does not know, or that is over") {
  OracleProposer oracle({ids({1, 2})}, 10, always_right(9));
  CHECK(draft(oracle, ids({1, 3}), 2).empty());
  CHECK(draft(oracle, ids({1, 2}), 2).empty());
}

TEST_CASE("an acceptance that is set is met on average") {
  auto right = right_with_probability(.8, 3);
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) sum += right(5);
  // The mean of 20,000 rounds has a standard error of at most 2.5 / sqrt(20,000) = .018.
  CHECK(std::abs(sum / 20'000 - 2.689) < 5 * .018);
}
