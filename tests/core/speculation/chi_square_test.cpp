#include "core/speculation/chi_square.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::Approx;

TEST_CASE("the tail of the chi-square distribution is that of the tables") {
  // Critical values of printed tables, given to three digits: a relative 2e-3 is what their rounding allows.
  const auto about = [](double p) { return Approx(p).epsilon(2e-3); };
  CHECK(chi_square_tail(3.841, 1) == about(.05));
  CHECK(chi_square_tail(10.828, 1) == about(.001));
  CHECK(chi_square_tail(5.991, 2) == about(.05));
  CHECK(chi_square_tail(7.815, 3) == about(.05));
  CHECK(chi_square_tail(16.266, 3) == about(.001));
  CHECK(chi_square_tail(38.885, 26) == about(.05));
  CHECK(chi_square_tail(54.052, 26) == about(.001));
  CHECK(chi_square_tail(0, 5) == 1);
}

TEST_CASE("the statistic adds up how far each count is from what was expected") {
  const ChiSquare result = chi_square(std::vector<std::uint64_t>{44, 56}, std::vector<double>{.5, .5});
  CHECK(result.statistic == Approx(36.0 / 50 + 36.0 / 50));
  CHECK(result.degrees == 1);
  CHECK(result.p_value == Approx(std::erfc(std::sqrt(.72))));
}

TEST_CASE("a cell that cannot be met is no degree of freedom, and settles it when it was met") {
  const std::vector<double> probabilities{.5, 0, .5};
  CHECK(chi_square(std::vector<std::uint64_t>{50, 0, 50}, probabilities).p_value == 1);
  CHECK(chi_square(std::vector<std::uint64_t>{50, 0, 50}, probabilities).degrees == 1);
  CHECK(chi_square(std::vector<std::uint64_t>{50, 1, 49}, probabilities).p_value == 0);
}

TEST_CASE("no counts, or not as many as probabilities, are misuse") {
  CHECK_THROWS_AS(chi_square(std::vector<std::uint64_t>{0, 0}, std::vector<double>{.5, .5}), MisuseError);
  CHECK_THROWS_AS(chi_square(std::vector<std::uint64_t>{1}, std::vector<double>{.5, .5}), MisuseError);
}

TEST_CASE("the critical value is where the tail has just this much left") {
  CHECK(chi_square_critical(.001, 1) == Approx(10.828).epsilon(1e-4));  // the table's value has five digits
  CHECK(chi_square_critical(.05, 3) == Approx(7.815).epsilon(1e-4));
  for (const double p : {.5, .05, 1e-6}) CHECK(chi_square_tail(chi_square_critical(p, 2), 2) == Approx(p));
  CHECK_THROWS_AS(chi_square_critical(0, 1), MisuseError);
  CHECK_THROWS_AS(chi_square_critical(std::nan(""), 1), MisuseError);
}
