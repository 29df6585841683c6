#include "cpu_reference/attention/linear.h"

#include <cmath>

namespace kvarium::cpu {
namespace {

/// elu(x) + 1: no weight is negative. Below -104 exp is 0 in floats: a token all of whose weights are 0 gets NaN, as
/// the equation says.
Matrix phi(const MatrixIn& x) {
  return x.unaryExpr([](float number) { return number > 0.0F ? number + 1.0F : std::exp(number); });
}

}  // namespace

LinearAttention::LinearAttention(Index head_dim, Index value_dim)
    : sum_(Matrix::Zero(head_dim, value_dim)), normalizer_(Matrix::Zero(1, head_dim)) {}

Matrix LinearAttention::step(const MatrixIn& query, const MatrixIn& key, const MatrixIn& value) {
  expect_shape(query, 1, sum_.rows(), "linear attention: query");
  expect_shape(key, 1, sum_.rows(), "linear attention: key");
  expect_shape(value, 1, sum_.cols(), "linear attention: value");
  const Matrix k = phi(key), q = phi(query);
  sum_ += k.transpose() * value;
  normalizer_ += k;
  return q * sum_ / q.row(0).dot(normalizer_.row(0));
}

Matrix linear_attention_parallel(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values) {
  expect_shape(keys, queries.rows(), queries.cols(), "linear attention: keys");
  expect_shape(values, queries.rows(), values.cols(), "linear attention: values");
  Matrix weights = phi(queries) * phi(keys).transpose();  // [tokens][tokens]
  weights = weights.triangularView<Eigen::Lower>();
  const Vector sums = weights.rowwise().sum();
  return (weights * values).array().colwise() / sums.array();
}

}  // namespace kvarium::cpu
