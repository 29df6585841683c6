#pragma once
// The inner loops of attention over few queries: a query with the keys of a tile, and weights with its values. The rows
// of a tile may lie anywhere, so they come as pointers.

#include "cpu_reference/lanes.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

inline constexpr int kPiece = 16;  // numbers that are multiplied at a time
using Piece = Eigen::Array<float, kPiece, 1>;
using PieceIn = Eigen::Map<const Piece>;

/// sum_c a[c] * b[c] for c in [first, count).
inline float dot_of_rest(const float* a, const float* b, Index first, Index count) {
  float sum = 0.0F;
  for (Index c = first; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

/// products[j] = query . keys[j] for `count` keys: four at a time, whose sums do not wait for each other.
inline void multiply(const float* query, const float* const* keys, Index count, Index dim, float* products) {
  const Index whole = dim / kPiece * kPiece;
  Index j = 0;
  for (; j + 4 <= count; j += 4) {
    Piece a = Piece::Zero(), b = a, c = a, d = a;
    for (Index i = 0; i < whole; i += kPiece) {
      const Piece q = PieceIn(query + i);
      a += q * PieceIn(keys[j] + i);
      b += q * PieceIn(keys[j + 1] + i);
      c += q * PieceIn(keys[j + 2] + i);
      d += q * PieceIn(keys[j + 3] + i);
    }
    products[j] = a.sum();
    products[j + 1] = b.sum();
    products[j + 2] = c.sum();
    products[j + 3] = d.sum();
  }
  for (; j < count; ++j) {
    Piece a = Piece::Zero();
    for (Index i = 0; i < whole; i += kPiece) a += PieceIn(query + i) * PieceIn(keys[j] + i);
    products[j] = a.sum();
  }
  if (whole == dim) return;
  for (j = 0; j < count; ++j) products[j] += dot_of_rest(query, keys[j], whole, dim);
}

inline constexpr int kTogether = 4;  // queries that a row of V is added for at a time

/// Some queries' weights for the rows of a tile and what they add up to; all have the same number of weights.
struct Sums {
  const float* weights[kTogether];
  float* sums[kTogether];
};

/// sums[q][c] += sum_j weights[q][j] * rows[j][c] for kVectors * kLanes columns, with the sums in registers.
template <int kQueries, int kVectors>
void add_columns(const Sums& to, const float* const* rows, Index count, Index column) {
  Lanes sums[kQueries][kVectors];
  for (int q = 0; q < kQueries; ++q) {
    for (int v = 0; v < kVectors; ++v) sums[q][v] = load_lanes(to.sums[q] + column + v * kLanes);
  }
  for (Index j = 0; j < count; ++j) {
    for (int v = 0; v < kVectors; ++v) {
      const Lanes part = load_lanes(rows[j] + column + v * kLanes);
      for (int q = 0; q < kQueries; ++q) sums[q][v] += to.weights[q][j] * part;
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int v = 0; v < kVectors; ++v) store_lanes(sums[q][v], to.sums[q] + column + v * kLanes);
  }
}

/// sums[q] += sum_j weights[q][j] * rows[j], in the order of j, whatever kQueries is.
template <int kQueries>
void add_rows_of(const Sums& to, const float* const* rows, Index count, Index dim) {
  Index column = 0;
  for (; column + 4 * kLanes <= dim; column += 4 * kLanes) add_columns<kQueries, 4>(to, rows, count, column);
  for (; column + kLanes <= dim; column += kLanes) add_columns<kQueries, 1>(to, rows, count, column);
  for (; column < dim; ++column) {
    for (std::size_t q = 0; q < kQueries; ++q) {
      for (Index j = 0; j < count; ++j) to.sums[q][column] += to.weights[q][j] * rows[j][column];
    }
  }
}

/// The same for 1 to kTogether queries.
inline void add_rows(Index queries, const Sums& to, const float* const* rows, Index count, Index dim) {
  if (queries == 4) return add_rows_of<4>(to, rows, count, dim);
  if (queries == 3) return add_rows_of<3>(to, rows, count, dim);
  if (queries == 2) return add_rows_of<2>(to, rows, count, dim);
  add_rows_of<1>(to, rows, count, dim);
}

}  // namespace kvarium::cpu
