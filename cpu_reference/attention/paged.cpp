#include "cpu_reference/attention/paged.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu_reference/attention/cache_reads.h"
#include "cpu_reference/attention/tile_products.h"
#include "cpu_reference/attention/tile_walk.h"
#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {
namespace {

constexpr Index kRows = 32;    // (token, query head) pairs of one task
constexpr Index kFewRows = 8;  // up to here one product a row is faster than a matrix product
constexpr Index kMaxDim = kMaxPagedHeadDim;

using RowIn = Eigen::Map<const Vector>;
using Tile = Eigen::Map<Matrix>;

/// The arguments of the call, as the tasks need them.
struct Job {
  const MatrixIn& queries;
  Index first_position;
  std::span<const KvRun> runs;
  const Heads& heads;
  Index window;
  MatrixInOut& out;

  Index dim() const { return heads.head_dim; }
  /// Positions that the token at row t sees.
  Range visible(Index t) const {
    const Index end = first_position + t + 1;
    return {window == 0 || end <= window ? 0 : end - window, end};
  }
};

/// Rows of one KV head: row r is query head r % group of that KV head, of token r / group.
struct RowBlock {
  const Job& job;
  Index kv_head;
  Index first;  ///< row
  Index count;  ///< rows

  Index token(Index r) const { return (first + r) / job.heads.group(); }
  Index column(Index r) const {
    const Index group = job.heads.group();
    return (kv_head * group + (first + r) % group) * job.dim();
  }
  TileWalk walk(Range positions) const {
    return {job.runs, Index{job.heads.kv_heads} * job.dim(), kv_head * job.dim(), positions};
  }
  /// How many rows from `r` on, at most `most`, are of the same token.
  Index same_token(Index r, Index most) const {
    const Index group = job.heads.group();
    return std::min({most, count - r, group - (first + r) % group});
  }
  const float* query(Index r) const { return job.queries.row(token(r)).data() + column(r); }
  std::span<float> out(Index r) const {
    return {job.out.row(token(r)).data() + column(r), static_cast<std::size_t>(job.dim())};
  }
};

/// Few rows over the tiles, one tile after the other. A tile is small enough to stay in the first-level cache for the
/// whole group of a KV head.
class FewRows {
 public:
  FewRows(const RowBlock& block, Range positions) : block_(block), dim_(block.job.dim()) {
    for (Index r = 0; r < block_.count; ++r) {
      state(r).out = block_.out(r);
      state(r).reset();
    }
    KeyTile tile;
    TileWalk walk(block_.walk(positions));
    for (walk.next(tile); tile.count > 0; walk.next(tile)) add(tile);
    for (Index r = 0; r < block_.count; ++r) state(r).finish(block_.out(r));
  }

 private:
  OnlineSoftmax& state(Index r) { return states_[static_cast<std::size_t>(r)]; }

  void add(const KeyTile& tile) {
    for (Index first = 0; first < block_.count;) {
      const Index count = block_.same_token(first, kTogether);
      const Range part = tile.part(block_.job.visible(block_.token(first)));
      Sums to{};
      for (Index q = 0; q < count; ++q) {
        float* const weights = weights_.data() + q * kKeyTile;
        weigh(first + q, tile, part, weights);
        to.weights[q] = weights;
        to.sums[q] = state(first + q).out.data();
      }
      add_rows(count, to, tile.values.data() + part.begin, part.end - part.begin, dim_);
      first += count;
    }
  }

  /// weights[j] = exp(score - maximum) of row r for the keys of `part`.
  void weigh(Index r, const KeyTile& tile, Range part, float* weights) {
    const Index seen = part.end - part.begin;
    multiply(block_.query(r), tile.keys.data() + part.begin, seen, dim_, weights);
    Eigen::Map<Eigen::ArrayXf>(weights, seen) /= std::sqrt(static_cast<float>(dim_));
    state(r).weigh({weights, static_cast<std::size_t>(seen)});
  }

  const RowBlock& block_;
  Index dim_;
  std::array<OnlineSoftmax, kFewRows> states_;
  alignas(64) std::array<float, kTogether * kKeyTile> weights_;  // [queries at a time][positions of the tile]
};

/// Many rows at once: scores and sums of a tile are matrix products over copies of its rows.
class ManyRows {
 public:
  ManyRows(const RowBlock& block, Range positions) : block_(block), dim_(block.job.dim()) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(dim_));
    for (Index r = 0; r < block_.count; ++r) {
      queries().row(r) = RowIn(block_.query(r), dim_).transpose() * scale;
      state(r).out = {sums().row(r).data(), static_cast<std::size_t>(dim_)};
      state(r).reset();
    }
    KeyTile tile;
    TileWalk walk(block_.walk(positions));
    for (walk.next(tile); tile.count > 0; walk.next(tile)) add(tile);
    for (Index r = 0; r < block_.count; ++r) state(r).finish(block_.out(r));
  }

 private:
  Tile queries() { return {queries_.data(), block_.count, dim_}; }
  Tile sums() { return {sums_.data(), block_.count, dim_}; }
  OnlineSoftmax& state(Index r) { return states_[static_cast<std::size_t>(r)]; }

  void add(const KeyTile& tile) {
    Tile keys(keys_.data(), tile.count, dim_), values(values_.data(), tile.count, dim_);
    for (Index j = 0; j < tile.count; ++j) {
      keys.row(j) = RowIn(tile.keys[static_cast<std::size_t>(j)], dim_);
      values.row(j) = RowIn(tile.values[static_cast<std::size_t>(j)], dim_);
    }
    Tile scores(scores_.data(), block_.count, tile.count);
    scores.noalias() = queries() * keys.transpose();

    Range all{0, tile.count};  // what every row sees
    for (Index r = 0; r < block_.count; ++r) {
      const Range part = tile.part(block_.job.visible(block_.token(r)));
      all = common(all, part);
      state(r).weigh({scores.row(r).data() + part.begin, static_cast<std::size_t>(part.end - part.begin)});
    }
    const Index count = all.end - all.begin;
    if (count > 0) sums().noalias() += scores.middleCols(all.begin, count) * values.middleRows(all.begin, count);
    for (Index r = 0; r < block_.count; ++r) {
      const Range part = tile.part(block_.job.visible(block_.token(r)));
      add_part(tile, r, {part.begin, std::min(part.end, all.begin)});
      add_part(tile, r, {std::max(part.begin, all.end), part.end});
    }
  }

  /// What row r sees and not every row: the others' weights there are no numbers to multiply with.
  void add_part(const KeyTile& tile, Index r, Range part) {
    if (part.end <= part.begin) return;
    Sums to{};
    to.weights[0] = scores_.data() + r * tile.count + part.begin;
    to.sums[0] = state(r).out.data();
    add_rows(1, to, tile.values.data() + part.begin, part.end - part.begin, dim_);
  }

  const RowBlock& block_;
  Index dim_;
  std::array<OnlineSoftmax, kRows> states_;
  alignas(64) std::array<float, kRows * kMaxDim> queries_;    // [rows][head_dim], times 1 / sqrt(head_dim)
  alignas(64) std::array<float, kRows * kMaxDim> sums_;       // [rows][head_dim]
  alignas(64) std::array<float, kRows * kKeyTile> scores_;    // [rows][positions of the tile]
  alignas(64) std::array<float, kKeyTile * kMaxDim> keys_;    // [positions of the tile][head_dim]
  alignas(64) std::array<float, kKeyTile * kMaxDim> values_;  // [positions of the tile][head_dim]
};

void expect_fits(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs, const Heads& heads,
                 const MatrixInOut& out) {
  expect_valid(heads);
  const Index width = Index{heads.query_heads} * heads.head_dim;
  expect_shape(queries, queries.rows(), width, "attention_paged: queries");
  expect_shape(out, queries.rows(), width, "attention_paged: out");
  if (heads.head_dim > kMaxPagedHeadDim) {
    throw MisuseError(fmt::format("attention_paged: heads of {}, the widest are {}", heads.head_dim, kMaxPagedHeadDim));
  }
  expect_covered(runs, first_position, queries.rows(), "attention_paged");
}

void count_work(const Job& job, Work& work) {
  for (Index t = 0; t < job.queries.rows(); ++t) {
    const Range visible = job.visible(t);
    count_reads(static_cast<std::uint64_t>(visible.end - visible.begin), job.heads, work);
  }
}

}  // namespace

void attention_paged(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                     const Heads& heads, std::uint32_t window, MatrixInOut out, ThreadPool& threads, Work& work) {
  expect_fits(queries, first_position, runs, heads, out);
  const Job job{queries, Index{first_position}, runs, heads, Index{window}, out};
  const Index rows = queries.rows() * heads.group();  // of each KV head
  const Index blocks = (rows + kRows - 1) / kRows;
  threads.for_each(static_cast<std::uint32_t>(blocks * heads.kv_heads), [&](std::uint32_t task) {
    // The KV heads of the same rows are neighbours: their cached rows share memory pages.
    const Index first = Index{task} / heads.kv_heads * kRows;
    const RowBlock block{job, Index{task} % heads.kv_heads, first, std::min(kRows, rows - first)};
    const Range positions{job.visible(block.token(0)).begin, job.visible(block.token(block.count - 1)).end};
    if (block.count <= kFewRows) {
      FewRows few(block, positions);
    } else {
      ManyRows many(block, positions);
    }
  });
  count_work(job, work);
}

}  // namespace kvarium::cpu
