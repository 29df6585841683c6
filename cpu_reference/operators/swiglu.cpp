#include "cpu_reference/operators/swiglu.h"

namespace kvarium::cpu {

Matrix swiglu(const MatrixIn& gate, const MatrixIn& up) {
  expect_shape(up, gate.rows(), gate.cols(), "swiglu: up");
  return (gate.array() / (1.0F + (-gate.array()).exp()) * up.array()).matrix();
}

}  // namespace kvarium::cpu
