#include "cpu_reference/operators/layer_norm.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

TEST_CASE("LayerNorm subtracts the mean, divides by the deviation, then weighs and shifts") {
  Matrix x(1, 4);
  x << 1, 3, 5, 7;  // mean 4, variance (9 + 1 + 1 + 9) / 4 = 5
  Vector weight(4), bias(4);
  weight << 1, 1, 2, 1;
  bias << 0, 0, 0, 10;
  Work work;
  layer_norm(x, weight, bias, 1e-12F, x, work);
  const double root = std::sqrt(5.0);
  CHECK(x(0) == kvarium_test::Approx(-3 / root).epsilon(1e-6));  // about 6 roundings of 6e-8
  CHECK(x(1) == kvarium_test::Approx(-1 / root).epsilon(1e-6));
  CHECK(x(2) == kvarium_test::Approx(2 / root).epsilon(1e-6));
  CHECK(x(3) == kvarium_test::Approx(10 + 3 / root).epsilon(1e-6));
  CHECK(work.bytes_read == 2 * 4 * 4);
}

TEST_CASE("LayerNorm of equal numbers is the bias") {
  Matrix x = Matrix::Constant(1, 3, 5.0F), y(1, 3);
  Work work;
  layer_norm(x, Vector::Ones(3), Vector::Constant(3, 0.25F), 1e-5F, y, work);
  CHECK(y == Matrix::Constant(1, 3, 0.25F));
}

TEST_CASE("LayerNorm refuses a bias of another width") {
  Matrix y(1, 3);
  Work work;
  CHECK_THROWS_WITH(layer_norm(Matrix::Ones(1, 3), Vector::Ones(3), Vector::Ones(2), 1e-5F, y, work),
                    "layer_norm: bias has shape [2][1], expected [3][1]");
}
