#include "core/beam/beam_scores.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;

TEST_CASE("log probabilities are those of the softmax, also of huge logits") {
  const std::vector<float> logits{0.0F, std::log(3.0F)};
  const std::vector<double> logs = log_probabilities(logits);
  // A float holds log 3 to 2^-24 of itself: 7e-8 in the sum.
  CHECK(std::abs(std::exp(logs[0]) - 0.25) < 1e-7);
  CHECK(std::abs(std::exp(logs[1]) - 0.75) < 1e-7);
  CHECK(log_probabilities(std::vector<float>{3e38F, -3e38F})[0] == 0.0);
  CHECK_THROWS_AS(log_probabilities(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}), MisuseError);
  CHECK_THROWS_AS(log_probabilities({}), MisuseError);
}

TEST_CASE("a length penalty of 1 is the mean, of 0 the sum") {
  CHECK(beam_score(-6.0, 4, 1.0) == -1.5);
  CHECK(beam_score(-6.0, 4, 0.0) == -6.0);
  CHECK(beam_score(-6.0, 4, 2.0) == -0.375);
}

TEST_CASE("of equals the lowest token comes first") {
  const std::vector<double> next{-1.0, -0.5, -0.5, -2.0};
  CHECK(continuations(7, -1.0, next, 3) ==
        std::vector<Continuation>{{7, TokenId{1}, -1.5}, {7, TokenId{2}, -1.5}, {7, TokenId{0}, -2.0}});
}

TEST_CASE("case B37: beams may offer different numbers of candidates, and each keeps its own") {
  const std::vector<double> six{-1, -2, -3, -4, -5, -6}, five{-1.5, -2.5, -3.5, -4.5, -5.5};
  const auto chosen = best_of({continuations(0, 0, six, 6), continuations(1, 0, five, 5)}, 11);
  REQUIRE(chosen.size() == 11);
  std::size_t of_first = 0;
  for (const Continuation& c : chosen) of_first += c.beam == 0 ? 1 : 0;
  CHECK(of_first == 6);
  CHECK(chosen.back() == Continuation{0, TokenId{5}, -6});
  CHECK(chosen[9] == Continuation{1, TokenId{4}, -5.5});
}
