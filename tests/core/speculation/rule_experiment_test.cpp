#include "core/speculation/rule_experiment.h"

#include <cmath>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::Approx;

namespace {

using Row = std::vector<double>;
const Row kP{.5, .5}, kQ{.9, .1};
constexpr std::uint64_t kSeed = 11, kDraws = 20'000;

}  // namespace

TEST_CASE("the exact rule leads to the target, the zoo's to (.70, .30), by algebra") {
  const RuleExperiment right(kP, kQ, Recovery::residual, kSeed), wrong(kP, kQ, Recovery::target, kSeed);
  CHECK(right.law()[0] == Approx(.5));
  CHECK(wrong.law()[0] == Approx(.7));
  CHECK(wrong.law()[1] == Approx(.3));
}

TEST_CASE("counting says the same: one fits the target, the other does not") {
  RuleExperiment right(kP, kQ, Recovery::residual, kSeed), wrong(kP, kQ, Recovery::target, kSeed);
  right.draw_to(kDraws);
  wrong.draw_to(kDraws);
  // Four standard deviations of a share: sqrt(.25 / 20000) = .0035.
  CHECK(std::abs(right.shares()[0] - .5) < .0142);
  CHECK(std::abs(wrong.shares()[0] - .7) < .0142);
  CHECK(right.fit().statistic < chi_square_critical(.001, 1));
  CHECK(wrong.fit().statistic > 100 * chi_square_critical(.001, 1));
}

TEST_CASE("draws in small pieces give what all at once give") {
  RuleExperiment whole(kP, kQ, Recovery::target, kSeed), pieces(kP, kQ, Recovery::target, kSeed);
  whole.draw_to(1000);
  for (std::uint64_t n = 0; n <= 1000; n += 7) pieces.draw_to(n);
  pieces.draw_to(1000);
  pieces.draw_to(10);  // fewer than there are: nothing
  CHECK(pieces.draws() == 1000);
  CHECK(pieces.counts() == whole.counts());
  REQUIRE(pieces.marks().size() == whole.marks().size());
  CHECK(pieces.marks().back().statistic == whole.marks().back().statistic);
}

TEST_CASE("before the first draw there are no shares and no verdict") {
  const RuleExperiment none(kP, kQ, Recovery::residual, kSeed);
  CHECK(none.shares() == Row{0, 0});
  CHECK_THROWS_AS(none.fit(), MisuseError);
}
