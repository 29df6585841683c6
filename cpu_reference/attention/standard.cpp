#include "cpu_reference/attention/standard.h"

#include <cmath>

#include "cpu_reference/operators/online_softmax.h"
#include "cpu_reference/operators/softmax.h"

namespace kvarium::cpu {

void expect_one_head(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values, const char* where) {
  expect_shape(keys, keys.rows(), queries.cols(), fmt::format("{}: keys", where));
  expect_shape(values, keys.rows(), queries.cols(), fmt::format("{}: values", where));
  if (queries.cols() == 0) throw MisuseError(fmt::format("{}: heads of width 0", where));
}

Matrix masked_scores(const Matrix& queries, const Matrix& keys, Index first_query, Index first_key, bool causal,
                     Index shift) {
  Matrix scores = queries * keys.transpose() / std::sqrt(static_cast<float>(queries.cols()));
  if (!causal) return scores;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      if (first_key + j > first_query + i + shift) scores(i, j) = OnlineSoftmax::kMasked;
    }
  }
  return scores;
}

CountedAttention standard_attention(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values,
                                    bool causal) {
  expect_one_head(queries, keys, values, "standard attention");
  CountedAttention result{Matrix(queries.rows(), queries.cols()), Matrix(queries.rows(), 1), {}};
  Traffic& traffic = result.traffic;
  Matrix stored(queries.rows(), keys.rows());  // S, then P, in slow memory

  // 1. S = Q K^T / sqrt(d)
  const Index shift = keys.rows() - queries.rows();
  store(masked_scores(load(queries, traffic), load(keys, traffic), 0, 0, causal, shift), stored, 0, traffic);

  // 2. P = softmax(S)
  Matrix weights = load(stored, traffic);
  for (Index i = 0; i < weights.rows(); ++i) {
    OnlineSoftmax state;  // for its lse only: no values
    Matrix row = weights.row(i);
    state.weigh({row.data(), static_cast<std::size_t>(row.size())});
    result.lse(i, 0) = state.lse();
  }
  softmax(weights);
  store(weights, stored, 0, traffic);

  // 3. O = P V
  store(load(stored, traffic) * load(values, traffic), result.out, 0, traffic);
  return result;
}

}  // namespace kvarium::cpu
