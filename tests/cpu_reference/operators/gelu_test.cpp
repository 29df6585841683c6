#include "cpu_reference/operators/gelu.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium::cpu;

TEST_CASE("GELU keeps large numbers, takes away small ones, and bends between") {
  Matrix x(1, 5);
  x << -20, -1, 0, 1, 20;
  gelu(x);
  CHECK(x(0) == 0.0F);
  const double bend = std::tanh(std::sqrt(2.0 / 3.14159265358979) * 1.044715);
  CHECK(x(1) == kvarium_test::Approx(-0.5 * (1 - bend)).epsilon(1e-5));  // 1 - tanh loses a digit
  CHECK(x(2) == 0.0F);
  CHECK(x(3) == kvarium_test::Approx(0.5 * (1 + bend)).epsilon(1e-6));
  CHECK(x(4) == 20.0F);
}
