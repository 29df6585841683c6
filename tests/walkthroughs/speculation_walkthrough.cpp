// One draft before the judge, as a story to be read from top to bottom. Every number below is checked when the tests
// run. A small, fast model (the draft) has guessed the next token; the large one (the target) says what it thinks of
// it, and the outcome must be as if the draft had never been there.
//
//   token        0     1     2     3
//   target  p   .20   .50   .20   .10
//   draft   q   .50   .30   .15   .05

#include <algorithm>
#include <vector>

#include "core/speculation/acceptance.h"
#include "core/speculation/residual.h"
#include "core/speculation/theory.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using Row = std::vector<double>;

const Row kTarget{.20, .50, .20, .10}, kDraft{.50, .30, .15, .05};
const Row kBehind{.25, .25, .25, .25};  // what the target says behind the draft, should it be accepted

Verdict judge(std::int32_t token, double u, double then) {
  return verify_sampled({{TokenId{token}}, {kDraft}}, std::vector<Row>{kTarget, kBehind}, Row{u, then});
}

TEST_CASE("1. The draft says token 0, which it likes better than the target does: it passes in p / q of all cases") {
  CHECK(kTarget[0] / kDraft[0] == Approx(.40));
  CHECK(judge(0, .39, 0).accepted() == 1);
  CHECK(judge(0, .41, 0).accepted() == 0);
}

TEST_CASE("2. A token that the target likes at least as well always passes") {
  CHECK(judge(1, .999, 0).accepted() == 1);  // .50 / .30
  CHECK(judge(2, .999, 0).accepted() == 1);  // .20 / .15
}

TEST_CASE("3. Chance says .55: token 0 is rejected, and what takes its place comes from what is left") {
  const Verdict verdict = judge(0, .55, .5);
  CHECK(verdict.rejected());
  CHECK(verdict.trials.front().p == .20);
  CHECK(verdict.trials.front().q == .50);
  const Row left = residual(kTarget, kDraft);  // max(p - q, 0) = (0, .20, .05, .05), divided by .30
  CHECK(left[0] == 0);
  CHECK(left[1] == Approx(.667).epsilon(1e-3));
  CHECK(left[2] == Approx(.167).epsilon(3e-3));
  CHECK(left[3] == Approx(.167).epsilon(3e-3));
  CHECK(verdict.next == TokenId{1});  // .5 lies in the share of token 1
}

TEST_CASE("4. Both ways together give each token exactly the target's probability") {
  // Token 1: drafted in .30 of all cases and kept; and in .30, when a draft is rejected, drawn with .667 from the rest.
  const double rejected = rejection_probability(kTarget, kDraft);
  CHECK(rejected == Approx(.30));
  const Row left = residual(kTarget, kDraft);
  for (std::size_t v = 0; v < kTarget.size(); ++v) {
    CHECK(std::min(kDraft[v], kTarget[v]) + rejected * left[v] == Approx(kTarget[v]));
  }
}

TEST_CASE("5. When the draft passes, the same pass of the target has one more token to give: the bonus") {
  const Verdict verdict = judge(0, .30, .8);
  CHECK_FALSE(verdict.rejected());
  CHECK(verdict.next == TokenId{3});
  CHECK(verdict.next_probability == .25);
}

TEST_CASE("6. So a pass gives between 1 and k + 1 tokens, and when 8 of 10 drafts pass, 3.69 with five drafts") {
  CHECK(expected_tokens(.8, 5) == Approx(3.69).epsilon(1e-3));
}

}  // namespace
}  // namespace kvarium
