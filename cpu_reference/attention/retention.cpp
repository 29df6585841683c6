#include "cpu_reference/attention/retention.h"

#include <cmath>

namespace kvarium::cpu {
namespace {

void expect_tokens(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values) {
  expect_shape(keys, queries.rows(), queries.cols(), "retention: keys");
  expect_shape(values, queries.rows(), values.cols(), "retention: values");
}

float fade(float gamma, Index steps) { return std::pow(gamma, static_cast<float>(steps)); }

}  // namespace

Retention::Retention(Index head_dim, Index value_dim, float gamma)
    : state_(Matrix::Zero(head_dim, value_dim)), gamma_(gamma) {
  if (!(gamma > 0.0F && gamma <= 1.0F)) throw MisuseError(fmt::format("retention: gamma {} is not in (0, 1]", gamma));
}

Matrix Retention::step(const MatrixIn& query, const MatrixIn& key, const MatrixIn& value) {
  expect_shape(query, 1, state_.rows(), "retention: query");
  expect_shape(key, 1, state_.rows(), "retention: key");
  expect_shape(value, 1, state_.cols(), "retention: value");
  state_ = gamma_ * state_ + key.transpose() * value;
  return query * state_;
}

Matrix Retention::chunk(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values) {
  expect_tokens(queries, keys, values);
  expect_shape(queries, queries.rows(), state_.rows(), "retention: queries");
  expect_shape(values, queries.rows(), state_.cols(), "retention: values");
  const Index tokens = queries.rows();
  Matrix out = retention_parallel(queries, keys, values, gamma_);
  Matrix faded = keys;
  for (Index t = 0; t < tokens; ++t) {
    out.row(t) += fade(gamma_, t + 1) * (queries.row(t) * state_);
    faded.row(t) *= fade(gamma_, tokens - 1 - t);
  }
  state_ = fade(gamma_, tokens) * state_ + faded.transpose() * values;
  return out;
}

Matrix retention_parallel(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values, float gamma) {
  expect_tokens(queries, keys, values);
  Matrix weights = queries * keys.transpose();  // [tokens][tokens]
  for (Index n = 0; n < weights.rows(); ++n) {
    for (Index m = 0; m < weights.cols(); ++m) weights(n, m) *= m <= n ? fade(gamma, n - m) : 0.0F;
  }
  return weights * values;
}

}  // namespace kvarium::cpu
