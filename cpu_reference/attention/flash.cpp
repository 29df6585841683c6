#include "cpu_reference/attention/flash.h"

#include <algorithm>

#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {
namespace {

std::span<float> row_of(Matrix& matrix, Index r) {
  return {matrix.row(r).data(), static_cast<std::size_t>(matrix.cols())};
}

/// The queries of one call cut into tiles, and the keys into tiles that they may see.
struct Cut {
  Cut(const MatrixIn& queries, const MatrixIn& keys, const TileRows& tile, bool is_causal, const char* where)
      : rows(tile), num_queries(queries.rows()), num_keys(keys.rows()), causal(is_causal) {
    if (tile.queries <= 0 || tile.keys <= 0) {
      throw MisuseError(fmt::format("{}: tiles of {} queries and {} keys", where, tile.queries, tile.keys));
    }
  }
  Index queries_from(Index first) const { return std::min(rows.queries, num_queries - first); }
  Index keys_from(Index first) const { return std::min(rows.keys, num_keys - first); }
  Index shift() const { return num_keys - num_queries; }
  /// No query of the tile sees a key of the tile: the keys start at or behind the end of what the last query sees.
  bool skips(Index first_query, Index first_key) const {
    return causal && first_key >= first_query + queries_from(first_query) + shift();
  }

  TileRows rows;
  Index num_queries, num_keys;
  bool causal;
};

/// A tile of Q on the chip with what it has seen of the keys.
struct QueryTile {
  Matrix queries;
  Matrix out;  ///< [queries][head_dim]: out of OnlineSoftmax, or in slow memory finished
  Matrix max;  ///< [queries][1]
  Matrix sum;  ///< [queries][1]

  OnlineSoftmax state(Index r) { return {max(r, 0), sum(r, 0), row_of(out, r)}; }
  void keep(Index r, const OnlineSoftmax& state) {
    max(r, 0) = state.max;
    sum(r, 0) = state.sum;
  }
};

}  // namespace

FlashResult flash_attention_1(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values,
                              const TileRows& tile, bool causal) {
  expect_one_head(queries, keys, values, "flash attention 1");
  const Cut cut(queries, keys, tile, causal, "flash attention 1");
  const Index n = queries.rows(), dim = queries.cols();
  FlashResult result{{Matrix(n, dim), Matrix(n, 1), {}}, 0};
  Traffic& traffic = result.traffic;
  Matrix max(n, 1), sum(n, 1);  // in slow memory, as result.out is
  store(Matrix::Zero(n, dim), result.out, 0, traffic);
  store(Matrix::Constant(n, 1, OnlineSoftmax::kMasked), max, 0, traffic);
  store(Matrix::Zero(n, 1), sum, 0, traffic);

  for (Index j = 0; j < keys.rows(); j += tile.keys) {
    const Matrix some_keys = load(keys, j, cut.keys_from(j), traffic);
    const Matrix some_values = load(values, j, cut.keys_from(j), traffic);
    for (Index i = 0; i < n; i += tile.queries) {
      if (cut.skips(i, j)) continue;
      const Index count = cut.queries_from(i);
      QueryTile part{load(queries, i, count, traffic), load(result.out, i, count, traffic),
                     load(max, i, count, traffic), load(sum, i, count, traffic)};
      Matrix scores = masked_scores(part.queries, some_keys, i, j, causal, cut.shift());
      for (Index r = 0; r < count; ++r) {
        part.out.row(r) *= part.sum(r, 0);  // no longer divided
        OnlineSoftmax state = part.state(r);
        state.add(row_of(scores, r), some_values.data(), static_cast<std::size_t>(dim));
        state.finish(state.out);
        part.keep(r, state);
      }
      store(part.out, result.out, i, traffic);
      store(part.max, max, i, traffic);
      store(part.sum, sum, i, traffic);
      ++result.tiles;
    }
  }
  for (Index r = 0; r < n; ++r) result.lse(r, 0) = OnlineSoftmax{max(r, 0), sum(r, 0), {}}.lse();
  return result;
}

FlashResult flash_attention_2(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values,
                              const TileRows& tile, bool causal) {
  expect_one_head(queries, keys, values, "flash attention 2");
  const Cut cut(queries, keys, tile, causal, "flash attention 2");
  const Index n = queries.rows(), dim = queries.cols();
  FlashResult result{{Matrix(n, dim), Matrix(n, 1), {}}, 0};
  Traffic& traffic = result.traffic;

  for (Index i = 0; i < n; i += tile.queries) {
    const Index count = cut.queries_from(i);
    QueryTile part{load(queries, i, count, traffic), Matrix::Zero(count, dim),
                   Matrix::Constant(count, 1, OnlineSoftmax::kMasked), Matrix::Zero(count, 1)};
    for (Index j = 0; j < keys.rows() && !cut.skips(i, j); j += tile.keys) {
      const Matrix some_keys = load(keys, j, cut.keys_from(j), traffic);
      const Matrix some_values = load(values, j, cut.keys_from(j), traffic);
      Matrix scores = masked_scores(part.queries, some_keys, i, j, causal, cut.shift());
      for (Index r = 0; r < count; ++r) {
        OnlineSoftmax state = part.state(r);
        state.add(row_of(scores, r), some_values.data(), static_cast<std::size_t>(dim));
        part.keep(r, state);
      }
      ++result.tiles;
    }
    Matrix lse(count, 1);
    for (Index r = 0; r < count; ++r) {
      const OnlineSoftmax state = part.state(r);
      state.finish(state.out);
      lse(r, 0) = state.lse();
    }
    store(part.out, result.out, i, traffic);
    store(lse, result.lse, i, traffic);
  }
  return result;
}

}  // namespace kvarium::cpu
