#include "cpu_reference/operators/linear.h"

namespace kvarium::cpu {

Matrix linear(const MatrixIn& x, const MatrixIn& weight, Work& work) {
  expect_shape(weight, weight.rows(), x.cols(), "linear: weight");
  Matrix y(x.rows(), weight.rows());
  if (x.rows() == 1) {
    y.row(0).transpose().noalias() = weight * x.row(0).transpose();
  } else {
    y.noalias() = x * weight.transpose();
  }
  work.flops += 2 * static_cast<std::uint64_t>(x.rows()) * static_cast<std::uint64_t>(weight.size());
  work.bytes_read += bytes_of(weight);
  return y;
}

}  // namespace kvarium::cpu
