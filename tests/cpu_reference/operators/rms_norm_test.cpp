#include "cpu_reference/operators/rms_norm.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

TEST_CASE("RMSNorm divides by the root of the mean square and multiplies by the weight") {
  Matrix x(1, 2);
  x << 3, 4;  // mean square 12.5
  Vector weight(2);
  weight << 1, 10;
  Work work;
  Matrix y(1, 2);
  rms_norm(x, weight, 1e-5F, y, work);
  CHECK(y(0, 0) ==
        kvarium_test::Approx(3 / std::sqrt(12.5)).epsilon(1e-6));  // 4 roundings and an epsilon of 1e-6: below 1e-6
  CHECK(y(0, 1) == kvarium_test::Approx(40 / std::sqrt(12.5)).epsilon(1e-6));
  CHECK(work.bytes_read == 8);
}

TEST_CASE("RMSNorm treats each token by itself and survives a row of zeros") {
  Matrix x(2, 2);
  x << 0, 0,  //
      -5, 5;
  Work work;
  Matrix y(2, 2);
  rms_norm(x, Vector::Ones(2), 1e-5F, y, work);
  CHECK(y.row(0).isZero(0.0F));
  CHECK(y(1, 0) == kvarium_test::Approx(-1).epsilon(1e-6));
}

TEST_CASE("RMSNorm refuses a weight of another width") {
  Work work;
  Matrix y(1, 3);
  CHECK_THROWS_WITH(rms_norm(Matrix::Ones(1, 3), Vector::Ones(2), 1e-5F, y, work),
                    "rms_norm: weight has shape [2][1], expected [3][1]");
  CHECK_THROWS_WITH(rms_norm(Matrix::Ones(1, 2), Vector::Ones(2), 1e-5F, y, work),
                    "rms_norm: y has shape [1][3], expected [1][2]");
}

TEST_CASE("RMSNorm may write over what it reads") {
  Matrix x(1, 2), y(1, 2);
  x << 3, 4;
  Work work;
  rms_norm(x, Vector::Constant(2, 0.5F), 1e-5F, y, work);
  rms_norm(x, Vector::Constant(2, 0.5F), 1e-5F, x, work);
  CHECK(x == y);
}
