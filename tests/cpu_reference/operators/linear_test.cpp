#include "cpu_reference/operators/linear.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

TEST_CASE("a linear layer multiplies by the transposed weight") {
  Matrix x(2, 3), weight(2, 3), expected(2, 2);
  x << 1, 2, 3,  //
      4, 5, 6;
  weight << 1, 0, -1,  //
      10, 20, 30;
  expected << -2, 140,  //
      -2, 320;
  Work work;
  CHECK(linear(x, weight, work) == expected);  // small integers: exact
}

TEST_CASE("one token takes the matrix-vector path and gives the same as many tokens") {
  std::mt19937_64 draws(1);
  const Matrix x = kvarium_test::random_matrix(5, 33, draws);
  const Matrix weight = kvarium_test::random_matrix(7, 33, draws);
  Work work;
  const Matrix together = linear(x, weight, work);
  for (Index t = 0; t < x.rows(); ++t) {
    // Sums of 33 products below 1 in two orders: each errs by at most 33 * 33 * 2^-24 = 6.5e-5.
    CHECK(kvarium_test::difference(linear(x.row(t), weight, work), together.row(t)) <= 1.3e-4F);
  }
}

TEST_CASE("a linear layer counts 2 operations a weight and token, and reads each weight once") {
  const Matrix x = Matrix::Ones(4, 3), weight = Matrix::Ones(5, 3);
  Work work;
  linear(x, weight, work);
  CHECK(work.flops == 2 * 4 * 5 * 3);
  CHECK(work.bytes_read == 5 * 3 * 4);
}

TEST_CASE("a linear layer refuses a weight of another width") {
  Work work;
  CHECK_THROWS_WITH(linear(Matrix::Ones(1, 3), Matrix::Ones(2, 4), work),
                    "linear: weight has shape [2][4], expected [2][3]");
}
