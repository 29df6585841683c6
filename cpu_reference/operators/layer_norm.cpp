#include "cpu_reference/operators/layer_norm.h"

#include <cmath>

namespace kvarium::cpu {

void layer_norm(const MatrixIn& x, const VectorIn& weight, const VectorIn& bias, float epsilon, MatrixInOut y,
                Work& work) {
  expect_shape(weight, x.cols(), 1, "layer_norm: weight");
  expect_shape(bias, x.cols(), 1, "layer_norm: bias");
  expect_shape(y, x.rows(), x.cols(), "layer_norm: y");
  for (Index t = 0; t < x.rows(); ++t) {
    y.row(t) = x.row(t).array() - x.row(t).mean();
    const float variance = y.row(t).squaredNorm() / static_cast<float>(x.cols());
    const float scale = 1.0F / std::sqrt(variance + epsilon);
    y.row(t) = weight.transpose().cwiseProduct(y.row(t)) * scale + bias.transpose();
  }
  work.bytes_read += bytes_of(weight) + bytes_of(bias);
}

}  // namespace kvarium::cpu
