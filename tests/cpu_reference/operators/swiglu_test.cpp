#include "cpu_reference/operators/swiglu.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium::cpu;

TEST_CASE("SwiGLU multiplies silu of the gate with the up projection") {
  Matrix gate(1, 3), up(1, 3);
  gate << 0, 1, -2;
  up << 5, 2, 3;
  swiglu(gate, up);
  CHECK(gate(0) == 0.0F);
  CHECK(gate(1) == kvarium_test::Approx(2 / (1 + std::exp(-1.0))).epsilon(1e-6));  // about 6 roundings of 6e-8
  CHECK(gate(2) == kvarium_test::Approx(-6 / (1 + std::exp(2.0))).epsilon(1e-6));
}

TEST_CASE("SwiGLU stays finite for gates far from zero") {
  Matrix gate(1, 2);
  gate << -1e4F, 1e4F;
  swiglu(gate, Matrix::Ones(1, 2));
  CHECK(std::abs(gate(0)) <= 1e-30F);
  CHECK(gate(1) == 1e4F);
}

TEST_CASE("SwiGLU refuses two shapes") {
  Matrix gate = Matrix::Ones(1, 3);
  CHECK_THROWS_WITH(swiglu(gate, Matrix::Ones(2, 3)), "swiglu: up has shape [2][3], expected [1][3]");
}
