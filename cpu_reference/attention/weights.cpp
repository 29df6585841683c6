#include "cpu_reference/attention/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu_reference/operators/softmax.h"

namespace kvarium::cpu {
namespace {

/// One head's K, row by row in the order of the positions: [positions][head_dim].
Matrix keys_of_head(std::span<const KvRun> runs, Index positions, const Heads& heads, std::uint32_t kv_head) {
  const Index dim = heads.head_dim, width = Index{heads.kv_heads} * dim;
  Matrix keys(positions, dim);
  Index position = 0;
  for (const KvRun& run : runs) {
    for (std::uint32_t i = 0; i < run.tokens && position < positions; ++i, ++position) {
      keys.row(position) = Eigen::Map<const Vector>(run.keys + i * width + kv_head * dim, dim).transpose();
    }
  }
  if (position < positions) {
    throw MisuseError(fmt::format("attention_weights: {} cached rows for {} positions", position, positions));
  }
  return keys;
}

}  // namespace

std::vector<float> attention_weights(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                                     const Heads& heads, std::uint32_t window, std::uint32_t score_dim) {
  expect_valid(heads);
  const Index dim = heads.head_dim, tokens = queries.rows(), positions = Index{first_position} + tokens;
  expect_shape(queries, tokens, Index{heads.query_heads} * dim, "attention_weights: queries");
  const float scale = 1.0F / std::sqrt(static_cast<float>(score_dim == 0 ? heads.head_dim : score_dim));
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(Index{heads.query_heads} * tokens * positions));
  Matrix keys;
  for (std::uint32_t h = 0; h < heads.query_heads; ++h) {
    if (h % heads.group() == 0) keys = keys_of_head(runs, positions, heads, heads.kv_head_of(h));
    Matrix scores = queries.middleCols(Index{h} * dim, dim) * keys.transpose() * scale;
    for (Index t = 0; t < tokens; ++t) {
      const Index own = Index{first_position} + t;
      const Index seen_from = window == 0 ? 0 : std::max<Index>(0, own + 1 - Index{window});
      scores.row(t).head(seen_from).setConstant(-std::numeric_limits<float>::infinity());
      scores.row(t).tail(positions - own - 1).setConstant(-std::numeric_limits<float>::infinity());
    }
    softmax(scores);
    weights.insert(weights.end(), scores.data(), scores.data() + scores.size());
  }
  return weights;
}

}  // namespace kvarium::cpu
