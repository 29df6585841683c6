#include "cpu_reference/operators/rms_norm.h"

#include <cmath>

namespace kvarium::cpu {

Matrix rms_norm(const MatrixIn& x, const VectorIn& weight, float epsilon, Work& work) {
  expect_shape(weight, x.cols(), 1, "rms_norm: weight");
  Matrix y(x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    const float mean_square = x.row(t).squaredNorm() / static_cast<float>(x.cols());
    const float scale = 1.0F / std::sqrt(mean_square + epsilon);
    y.row(t) = weight.transpose().cwiseProduct(x.row(t)) * scale;
  }
  work.bytes_read += bytes_of(weight);
  return y;
}

}  // namespace kvarium::cpu
