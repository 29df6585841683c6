#include "cpu_reference/operators/swiglu.h"

namespace kvarium::cpu {

void swiglu(MatrixInOut gate, const MatrixIn& up) {
  expect_shape(up, gate.rows(), gate.cols(), "swiglu: up");
  gate.array() = gate.array() / (1.0F + (-gate.array()).exp()) * up.array();
}

}  // namespace kvarium::cpu
