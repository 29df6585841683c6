#include "cpu_reference/operators/linear.h"

#include <algorithm>

#include "cpu_reference/operators/dot_tile.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {
namespace {

constexpr Index kOutputsAtOnce = 8;  // as many sums are under way as the processor has additions in flight
constexpr Index kFewOutputs = 32;    // of a task
constexpr Index kManyOutputs = 128;  // of a task
constexpr Index kColumns = 512;      // of a tile of widened numbers: a multiple of every type's block

/// A weight with the distances of its rows and blocks, which every tile needs.
struct Layout {
  explicit Layout(const WeightMatrix& matrix)
      : type(matrix.type),
        columns(matrix.columns),
        rows{matrix.data, row_bytes(type, static_cast<std::uint64_t>(columns))},
        step_bytes(std::uint64_t{kStep} * bytes_per_block(type) / numbers_per_block(type)) {}
  /// Where column `column` of a row lies; the first of a block.
  const std::byte* at(Index row, Index column) const {
    const std::uint64_t blocks = static_cast<std::uint64_t>(column) / numbers_per_block(type);
    return rows.row(row) + blocks * bytes_per_block(type);
  }

  WeightType type;
  Index columns;
  WeightRows rows;
  std::uint64_t step_bytes;  ///< of kStep numbers, rounded down
};

/// Columns [first, first + columns) of some rows of a weight as floats: where they lie when the weight is F32, else in
/// `tile` of [outputs][columns].
WeightRows widened(const Layout& weight, Index output, Index outputs, Index first, Index columns, float* tile) {
  if (weight.type == WeightType::f32) return {weight.at(output, first), weight.rows.stride};
  for (Index o = 0; o < outputs; ++o) {
    dequantize_row(weight.type, weight.at(output + o, first), columns, tile + o * columns);
  }
  return {reinterpret_cast<const std::byte*>(tile), static_cast<std::uint64_t>(columns) * sizeof(float)};
}

Index tasks_of(Index outputs, Index of_task) { return (outputs + of_task - 1) / of_task; }

/// One token: the weight is multiplied as it is read.
template <class Weight, int kOutputs>
void add_straight(const MatrixIn& x, const Layout& weight, Index output, Lanes* sums) {
  const WeightRows rows{weight.rows.row(output), weight.rows.stride};
  const std::byte* const next_rows = rows.row(kOutputs);
  const auto ask_ahead = [&](Index step) {
    constexpr std::size_t kBytes = Weight::kBytesAhead * kOutputs;
    ask_for(next_rows + static_cast<std::size_t>(step) * kBytes, kBytes);
  };
  dot_tile<Weight, 1, kOutputs>({x.data(), x.outerStride()}, rows, weight.columns, sums, ask_ahead);
}

/// Several tokens: each tile of the weight is widened once and multiplied by two tokens at a time, while the memory
/// brings the next tile: each pair of tokens asks for its share of it.
template <int kOutputs>
void add_widened(const MatrixIn& x, const Layout& weight, Index output, Lanes* sums) {
  alignas(64) float tile[kOutputs * kColumns];
  const Index pairs = (x.rows() + 1) / 2;
  for (Index c = 0; c < weight.columns; c += kColumns) {
    const Index columns = std::min(kColumns, weight.columns - c);
    const WeightRows rows = widened(weight, output, kOutputs, c, columns, tile);
    const bool is_last = c + kColumns >= weight.columns;
    const std::byte* const next_tile = is_last ? weight.rows.row(output + kOutputs) : weight.at(output, c + kColumns);
    for (Index pair = 0; pair < pairs; ++pair) {
      const Rows inputs{x.row(2 * pair).data() + c, x.outerStride()};
      const auto ask_ahead = [&](Index step) {
        const std::byte* const place = next_tile + static_cast<std::uint64_t>(step) * weight.step_bytes;
        for (Index o = pair * kOutputs / pairs; o < (pair + 1) * kOutputs / pairs; ++o) {
          ask_for(place + static_cast<std::uint64_t>(o) * weight.rows.stride, weight.step_bytes);
        }
      };
      Lanes* const pair_sums = sums + 2 * pair * kOutputs;
      if (2 * pair + 1 < x.rows()) {
        dot_tile<F32Weight, 2, kOutputs>(inputs, rows, columns, pair_sums, ask_ahead);
      } else {
        dot_tile<F32Weight, 1, kOutputs>(inputs, rows, columns, pair_sums, ask_ahead);
      }
    }
  }
}

/// kOutputs columns of y from `output` on, for few tokens.
template <int kOutputs>
void write_few(const MatrixIn& x, const Layout& weight, Index output, MatrixInOut& y) {
  Lanes sums[kFewTokens * kOutputs];
  std::fill_n(sums, x.rows() * kOutputs, Lanes{});
  const bool one = x.rows() == 1;
  if (one && weight.type == WeightType::f32) {
    add_straight<F32Weight, kOutputs>(x, weight, output, sums);
  } else if (one && weight.type == WeightType::f16) {
    add_straight<F16Weight, kOutputs>(x, weight, output, sums);
  } else if (one && weight.type == WeightType::bf16) {
    add_straight<Bf16Weight, kOutputs>(x, weight, output, sums);
  } else if (one && weight.type == WeightType::q8_0) {
    add_straight<Q8_0Weight, kOutputs>(x, weight, output, sums);
  } else {
    add_widened<kOutputs>(x, weight, output, sums);
  }
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index o = 0; o < kOutputs; ++o) y(t, output + o) = sum_of_lanes(sums[t * kOutputs + o]);
  }
}

void linear_few(const MatrixIn& x, const WeightMatrix& matrix, MatrixInOut& y, ThreadPool& threads) {
  const Layout weight(matrix);
  threads.for_each(static_cast<std::uint32_t>(tasks_of(matrix.rows, kFewOutputs)), [&](std::uint32_t task) {
    Index output = task * kFewOutputs;
    const Index end = std::min(matrix.rows, output + kFewOutputs);
    for (; output + kOutputsAtOnce <= end; output += kOutputsAtOnce) write_few<kOutputsAtOnce>(x, weight, output, y);
    for (; output < end; ++output) write_few<1>(x, weight, output, y);
  });
}

/// The columns of y from `output` on, for many tokens.
void write_many(const MatrixIn& x, const Layout& weight, Index output, Index outputs, MatrixInOut& y) {
  alignas(64) float tile[kManyOutputs * kColumns];
  auto columns_of_y = y.middleCols(output, outputs);
  columns_of_y.setZero();
  const Index at_once = weight.type == WeightType::f32 ? std::max<Index>(1, weight.columns) : kColumns;
  for (Index c = 0; c < weight.columns; c += at_once) {
    const Index columns = std::min(at_once, weight.columns - c);
    const WeightRows weights = widened(weight, output, outputs, c, columns, tile);
    const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> rows(
        reinterpret_cast<const float*>(weights.first), outputs, columns,
        Eigen::OuterStride<>(static_cast<Index>(weights.stride / sizeof(float))));
    columns_of_y.noalias() += x.middleCols(c, columns) * rows.transpose();
  }
}

void linear_many(const MatrixIn& x, const WeightMatrix& matrix, MatrixInOut& y, ThreadPool& threads) {
  const Layout weight(matrix);
  threads.for_each(static_cast<std::uint32_t>(tasks_of(matrix.rows, kManyOutputs)), [&](std::uint32_t task) {
    const Index output = task * kManyOutputs;
    write_many(x, weight, output, std::min(kManyOutputs, matrix.rows - output), y);
  });
}

}  // namespace

void linear(const MatrixIn& x, const WeightMatrix& weight, MatrixInOut y, ThreadPool& threads, Work& work) {
  if (x.cols() != weight.columns) {
    throw MisuseError(fmt::format("linear: weight has shape [{}][{}], expected [{}][{}]", weight.rows, weight.columns,
                                  weight.rows, x.cols()));
  }
  expect_shape(y, x.rows(), weight.rows, "linear: y");
  const std::uint64_t read = weight.bytes();  // a row that is no whole number of blocks is refused before a task starts
  if (x.rows() <= kFewTokens) {
    linear_few(x, weight, y, threads);
  } else {
    linear_many(x, weight, y, threads);
  }
  work.flops += 2 * static_cast<std::uint64_t>(x.rows()) * weight.numbers();
  work.bytes_read += read;
}

}  // namespace kvarium::cpu
