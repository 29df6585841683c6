#include "cpu_reference/attention/cached.h"

#include <algorithm>
#include <cmath>

#include "cpu_reference/attention/cache_reads.h"
#include "cpu_reference/operators/softmax.h"

namespace kvarium::cpu {
namespace {

using RowIn = Eigen::Map<const Vector>;

/// Calls visit(position, row) for positions [0, tokens), row by row in the order of memory; `rows` picks K or V.
template <typename Visit>
void for_each_row(std::span<const KvRun> runs, const float* KvRun::*rows, Index tokens, Index row_width, Visit visit) {
  Index position = 0;
  for (const KvRun& run : runs) {
    const float* row = run.*rows;
    for (std::uint32_t i = 0; i < run.tokens && position < tokens; ++i, row += row_width) visit(position++, row);
  }
}

/// Pass 1: scores[h][j] = q[h] . k[j][h / group] / sqrt(head_dim). Each K row is fetched once for all query heads.
void scores_of(const float* query,  // [query_heads][head_dim]
               std::span<const KvRun> runs, const Heads& heads, Matrix& scores) {
  const Index dim = heads.head_dim;
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  for_each_row(runs, &KvRun::keys, scores.cols(), Index{heads.kv_heads} * dim, [&](Index j, const float* key) {
    for (std::uint32_t h = 0; h < heads.query_heads; ++h) {
      const RowIn q(query + Index{h} * dim, dim);
      const RowIn k(key + Index{heads.kv_head_of(h)} * dim, dim);
      scores(h, j) = q.dot(k) * scale;
    }
  });
}

/// Pass 3: out[h] = sum_j weights[h][j] * v[j][h / group].
void sum_of_values(const Matrix& weights, std::span<const KvRun> runs, const Heads& heads,
                   float* out) {  // [query_heads][head_dim]
  const Index dim = heads.head_dim;
  Eigen::Map<Vector>(out, Index{heads.query_heads} * dim).setZero();
  for_each_row(runs, &KvRun::values, weights.cols(), Index{heads.kv_heads} * dim, [&](Index j, const float* value) {
    for (std::uint32_t h = 0; h < heads.query_heads; ++h) {
      const RowIn v(value + Index{heads.kv_head_of(h)} * dim, dim);
      Eigen::Map<Vector>(out + Index{h} * dim, dim) += weights(h, j) * v;
    }
  });
}

}  // namespace

Matrix attention_cached(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                        const Heads& heads, Work& work) {
  expect_valid(heads);
  expect_shape(queries, queries.rows(), Index{heads.query_heads} * heads.head_dim, "attention_cached: queries");
  expect_covered(runs, first_position, queries.rows(), "attention_cached");

  Matrix out(queries.rows(), queries.cols());
  for (Index t = 0; t < queries.rows(); ++t) {
    const Index visible = Index{first_position} + t + 1;
    Matrix scores(heads.query_heads, visible);
    scores_of(queries.row(t).data(), runs, heads, scores);
    softmax(scores);  // pass 2
    sum_of_values(scores, runs, heads, out.row(t).data());
    count_reads(static_cast<std::uint64_t>(visible), heads, work);
  }
  return out;
}

}  // namespace kvarium::cpu
