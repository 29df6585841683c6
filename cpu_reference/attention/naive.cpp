#include "cpu_reference/attention/naive.h"

#include <algorithm>
#include <cmath>

#include "cpu_reference/operators/softmax.h"

namespace kvarium::cpu {

Matrix attention_naive(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values, const Heads& heads,
                       Work& work, std::uint32_t window) {
  expect_valid(heads);
  const Index tokens = queries.rows();
  const Index dim = Index{heads.head_dim}, value_dim = values.cols() / Index{heads.kv_heads};
  expect_shape(queries, tokens, Index{heads.query_heads} * dim, "attention_naive: queries");
  expect_shape(keys, tokens, Index{heads.kv_heads} * dim, "attention_naive: keys");
  expect_shape(values, tokens, Index{heads.kv_heads} * value_dim, "attention_naive: values");

  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  Matrix out(tokens, Index{heads.query_heads} * value_dim);
  for (std::uint32_t h = 0; h < heads.query_heads; ++h) {
    const auto q = queries.middleCols(Index{h} * dim, dim);
    const auto k = keys.middleCols(Index{heads.kv_head_of(h)} * dim, dim);
    const auto v = values.middleCols(Index{heads.kv_head_of(h)} * value_dim, value_dim);
    for (Index i = 0; i < tokens; ++i) {
      const Index count = window == 0 ? i + 1 : std::min<Index>(window, i + 1), first = i + 1 - count;
      Matrix weights = q.row(i) * k.middleRows(first, count).transpose() * scale;  // [1][count]
      softmax(weights);
      out.block(i, Index{h} * value_dim, 1, value_dim).noalias() = weights * v.middleRows(first, count);
      work.score_products += static_cast<std::uint64_t>(count);
      work.flops += 2 * static_cast<std::uint64_t>(count * (dim + value_dim));
    }
  }
  return out;
}

}  // namespace kvarium::cpu
