#include "cpu_reference/operators/rms_norm.h"

#include <cmath>

namespace kvarium::cpu {

void rms_norm(const MatrixIn& x, const VectorIn& weight, float epsilon, MatrixInOut y, Work& work) {
  expect_shape(weight, x.cols(), 1, "rms_norm: weight");
  expect_shape(y, x.rows(), x.cols(), "rms_norm: y");
  for (Index t = 0; t < x.rows(); ++t) {
    const float mean_square = x.row(t).squaredNorm() / static_cast<float>(x.cols());
    const float scale = 1.0F / std::sqrt(mean_square + epsilon);
    y.row(t) = weight.transpose().cwiseProduct(x.row(t)) * scale;
  }
  work.bytes_read += bytes_of(weight);
}

}  // namespace kvarium::cpu
