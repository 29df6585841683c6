#include "core/speculation/rule_experiment.h"

#include "core/speculation/rule_report.h"

#include <cmath>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::Approx;

namespace {

using Row = std::vector<double>;
const RuleProblem& zoo() { return rule_problems()[0]; }
constexpr std::uint64_t kSeed = 11, kDraws = 20'000;

}  // namespace

TEST_CASE("the exact rule leads to the target, the zoo's to (.70, .30), by algebra") {
  const RuleExperiment right(zoo(), Recovery::residual, kSeed), wrong(zoo(), Recovery::target, kSeed);
  CHECK(right.law()[0] == Approx(.5));
  CHECK(wrong.law()[0] == Approx(.7));
  CHECK(wrong.law()[1] == Approx(.3));
}

TEST_CASE("counting says the same: one fits the target, the other does not") {
  RuleExperiment right(zoo(), Recovery::residual, kSeed), wrong(zoo(), Recovery::target, kSeed);
  right.draw_to(kDraws);
  wrong.draw_to(kDraws);
  // Four standard deviations of a share: sqrt(.25 / 20000) = .0035.
  CHECK(std::abs(right.shares()[0] - .5) < .0142);
  CHECK(std::abs(wrong.shares()[0] - .7) < .0142);
  CHECK(right.fits());
  CHECK_FALSE(wrong.fits());
  CHECK(right.critical() == Approx(10.828).epsilon(1e-4));  // of a printed table, five digits
  CHECK(wrong.fit().statistic > 100 * wrong.critical());
}

TEST_CASE("draws in small pieces give what all at once give") {
  RuleExperiment whole(zoo(), Recovery::target, kSeed), pieces(zoo(), Recovery::target, kSeed);
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
  const RuleExperiment none(zoo(), Recovery::residual, kSeed);
  CHECK(none.shares() == Row{0, 0});
  CHECK_THROWS_AS(none.fit(), MisuseError);
}

TEST_CASE("the report names both rules and says in words which fits") {
  RuleExperiment right(zoo(), Recovery::residual, kSeed), wrong(zoo(), Recovery::target, kSeed);
  CHECK_THAT(rule_report(zoo(), right, wrong), kvarium_test::contains("0 draws"));
  right.draw_to(kDraws);
  wrong.draw_to(kDraws);
  const std::string text = rule_report(zoo(), right, wrong);
  CHECK_THAT(text, kvarium_test::contains("the target's p                      0.500  0.500\n"));
  CHECK_THAT(text, kvarium_test::contains("  leads to                          0.700  0.300\n"));
  CHECK_THAT(text, kvarium_test::contains("it does not fit"));
}
