#include "core/speculation/theory.h"

#include <limits>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::Approx;

TEST_CASE("tokens a pass at an acceptance of 0.8") {
  const auto about = [](double tokens) { return Approx(tokens).epsilon(2e-3); };  // as they are printed: two decimals
  CHECK(expected_tokens(.8, 3) == about(2.95));
  CHECK(expected_tokens(.8, 5) == about(3.69));  // not 3.93, as a popular text has it
  CHECK(expected_tokens(.8, 8) == about(4.33));
  CHECK(expected_accepted(.8, 5) == about(2.689));
  CHECK(expected_tokens(.8, 5) == Approx((1 - .8 * .8 * .8 * .8 * .8 * .8) / (1 - .8)));
}

TEST_CASE("the ends: nothing is accepted, everything is, nothing is drafted") {
  CHECK(expected_tokens(0, 5) == 1);
  CHECK(expected_tokens(1, 5) == 6);
  CHECK(expected_tokens(.8, 0) == 1);
  CHECK(expected_speedup(.8, 0, .1) == 1);
}

TEST_CASE("the speed-up pays for k steps of the draft") {
  CHECK(expected_speedup(.8, 5, .1) == Approx(3.68928 / 1.5));  // 2.46, not 2.6
  CHECK(expected_speedup(.8, 5, 0) == expected_tokens(.8, 5));
}

TEST_CASE("the best draft length: long for a cheap draft that is right, none for a dear or useless one") {
  CHECK(best_draft_length(.8, .1, 16) == 6);  // 3.951 / 1.6 = 2.470; 5 drafts 2.460, 7 drafts 2.448
  CHECK(best_draft_length(.8, 0, 16) == 16);
  CHECK(best_draft_length(.8, 1, 16) == 0);
  CHECK(best_draft_length(0, .1, 16) == 0);
  CHECK(best_draft_length(1, .1, 16) == 16);
}

TEST_CASE("no acceptance outside 0 to 1, no negative cost, no NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(expected_tokens(1.1, 2), MisuseError);
  CHECK_THROWS_AS(expected_tokens(nan, 2), MisuseError);
  CHECK_THROWS_AS(expected_speedup(.5, 2, -1), MisuseError);
  CHECK_THROWS_AS(expected_speedup(.5, 2, nan), MisuseError);
}

TEST_CASE("how many of k drafts are accepted: the probabilities add up to 1, and their mean is the formula's") {
  for (const double alpha : {0.0, .3, .8, 1.0}) {
    double sum = 0, mean = 0;
    for (std::uint32_t a = 0; a <= 5; ++a) {
      sum += probability_of_accepted(alpha, 5, a);
      mean += a * probability_of_accepted(alpha, 5, a);
    }
    CHECK(sum == Approx(1));
    CHECK(mean == Approx(expected_accepted(alpha, 5)).margin(1e-12));
  }
  CHECK(probability_of_accepted(.8, 2, 1) == Approx(.16));
  CHECK(probability_of_accepted(.8, 2, 2) == Approx(.64));
  CHECK_THROWS_AS(probability_of_accepted(.8, 2, 3), MisuseError);
}

TEST_CASE("a draft is accepted with p / q: the worked position, and the ends") {
  CHECK(acceptance_probability(.20, .50) == Approx(.40));
  CHECK(acceptance_probability(.50, .30) == 1);
  CHECK(acceptance_probability(0, .30) == 0);
  CHECK(acceptance_probability(.20, 0) == 0);
}
