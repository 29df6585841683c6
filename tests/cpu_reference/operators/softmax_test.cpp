#include "cpu_reference/operators/softmax.h"

#include <limits>

#include "tests/cpu_reference/support.h"

using namespace kvarium::cpu;

namespace {
constexpr float kMasked = -std::numeric_limits<float>::infinity();

Matrix row(std::initializer_list<float> numbers) {
  Matrix made(1, static_cast<Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), made.data());
  softmax(made);
  return made;
}
}  // namespace

TEST_CASE("softmax turns scores into shares of their exponentials") {
  const Matrix shares = row({0, std::log(2.0F), std::log(5.0F)});
  CHECK(shares(0) == kvarium_test::Approx(1 / 8.0).epsilon(1e-6));  // about 10 roundings of 6e-8
  CHECK(shares(1) == kvarium_test::Approx(2 / 8.0).epsilon(1e-6));
  CHECK(shares(2) == kvarium_test::Approx(5 / 8.0).epsilon(1e-6));
}

TEST_CASE("softmax subtracts the maximum, so that large scores do not overflow") {
  CHECK(row({1000, 1000}) == row({0, 0}));
  CHECK(row({-1000, -1000}) == row({0, 0}));
  CHECK(row({3e38F, -3e38F})(0) == 1.0F);
}

TEST_CASE("softmax gives a masked entry exactly nothing") {
  const Matrix shares = row({1, kMasked, 1, kMasked, kMasked, kMasked, kMasked, kMasked, kMasked});
  CHECK(shares(0) == 0.5F);
  CHECK(shares(1) == 0.0F);
  CHECK(shares(8) == 0.0F);
}

TEST_CASE("softmax of a row in which everything is masked is all zero, not NaN") {
  CHECK(row({kMasked, kMasked, kMasked}).isZero(0.0F));
}

TEST_CASE("softmax passes a NaN on to its whole row and to no other") {
  Matrix scores = Matrix::Zero(2, 9);
  scores(0, 4) = NAN;
  softmax(scores);
  for (Index i = 0; i < 9; ++i) CHECK(std::isnan(scores(0, i)));
  CHECK(scores.row(1).sum() == kvarium_test::Approx(1).epsilon(1e-6));
}

TEST_CASE("softmax of one score is 1, of none is nothing") {
  CHECK(row({-7})(0) == 1.0F);
  Matrix none(3, 0);
  CHECK_NOTHROW(softmax(none));
}
