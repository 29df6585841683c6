#include "cpu_reference/operators/linear.h"

#include <algorithm>
#include <type_traits>

#include "cpu_reference/operators/dot_tile.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {
namespace {

constexpr Index kOutputsAtOnce = 8;  // as many sums are under way as the processor has additions in flight
constexpr Index kTokensAtOnce = 4;   // whose sums stay in registers
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

/// One token: the rows behind these are asked for in one piece, a byte for each that is used. Rows of floats are long
/// enough for the processor to look ahead itself.
template <class Weight, int kOutputs>
[[gnu::noinline]] void add_straight(const MatrixIn& x, const Layout& weight, Index output, Lanes* sums) {
  constexpr std::size_t kBytes = Weight::kType == WeightType::f32 ? 0 : Weight::kStepBytes * kOutputs;
  const WeightRows rows{weight.rows.row(output), weight.rows.stride};
  const std::byte* const next_rows = rows.row(kOutputs);
  const auto ask_ahead = [&](Index step) { ask_for(next_rows + static_cast<std::size_t>(step) * kBytes, kBytes); };
  add_products<Weight, 1, kOutputs>({x.data(), x.outerStride()}, rows, weight.columns, sums, kOutputs, ask_ahead);
}

/// Some tokens with kOutputs rows of a weight. Three and four tokens take half of the rows at a time: more sums than
/// registers would go to memory and back.
template <class Weight, int kTokens, int kOutputs, class AskAhead>
void add_tile(Rows x, WeightRows weight, Index columns, Lanes* sums, const AskAhead& ask_ahead) {
  constexpr int kAtOnce = kTokens <= 2 || kOutputs == 1 ? kOutputs : kOutputs / 2;
  for (int o = 0; o < kOutputs; o += kAtOnce) {
    const auto ask_once = [&](Index step) {
      if (o == 0) ask_ahead(step);
    };
    dot_tile<Weight, kTokens, kAtOnce>(x, {weight.row(o), weight.stride}, columns, sums + o, kOutputs, ask_once);
  }
}

/// add_tile() of `tokens` tokens, 1 to kTokensAtOnce.
template <class Weight, int kOutputs, class AskAhead>
void add_tokens(Index tokens, Rows x, WeightRows weight, Index columns, Lanes* sums, const AskAhead& ask_ahead) {
  if (tokens == 1) {
    add_tile<Weight, 1, kOutputs>(x, weight, columns, sums, ask_ahead);
  } else if (tokens == 2) {
    add_tile<Weight, 2, kOutputs>(x, weight, columns, sums, ask_ahead);
  } else if (tokens == 3) {
    add_tile<Weight, 3, kOutputs>(x, weight, columns, sums, ask_ahead);
  } else {
    add_tile<Weight, 4, kOutputs>(x, weight, columns, sums, ask_ahead);
  }
}

/// Tile after tile of the weight for all tokens, while the memory brings the next tile: each group of tokens asks for
/// its share of it. The weight is multiplied as it is read; one without a reader among weight_lanes.h (void) is widened
/// first.
template <class Weight, int kOutputs>
void add_few(const MatrixIn& x, const Layout& weight, Index output, Lanes* sums) {
  constexpr bool kIsRead = !std::is_void_v<Weight>;
  using Reader = std::conditional_t<kIsRead, Weight, F32Weight>;
  alignas(64) float tile[kIsRead ? 1 : kOutputs * kColumns];
  const Index groups = (x.rows() + kTokensAtOnce - 1) / kTokensAtOnce;
  // What is read once need not stay in the first-level cache: whole rows, and so the rows behind them are asked for.
  const Index at_once = kIsRead && groups == 1 ? std::max<Index>(1, weight.columns) : kColumns;
  for (Index c = 0; c < weight.columns; c += at_once) {
    const Index columns = std::min(at_once, weight.columns - c);
    const WeightRows rows = kIsRead ? WeightRows{weight.at(output, c), weight.rows.stride}
                                    : widened(weight, output, kOutputs, c, columns, tile);
    const bool is_last = c + at_once >= weight.columns;
    const std::byte* const next_tile = is_last ? weight.rows.row(output + kOutputs) : weight.at(output, c + at_once);
    for (Index group = 0; group < groups; ++group) {
      const Index first = group * kTokensAtOnce;
      const Index from = group * kOutputs / groups, to = (group + 1) * kOutputs / groups;  // rows that it asks for
      const auto ask_ahead = [&](Index step) {
        if (weight.type == WeightType::f32) return;  // rows of floats are so long that the processor looks ahead itself
        const std::byte* const place = next_tile + static_cast<std::uint64_t>(step) * weight.step_bytes;
        for (Index o = from; o < to; ++o) {
          ask_for(place + static_cast<std::uint64_t>(o) * weight.rows.stride, weight.step_bytes);
        }
      };
      add_tokens<Reader, kOutputs>(std::min(kTokensAtOnce, x.rows() - first),
                                   {x.row(first).data() + c, x.outerStride()}, rows, columns, sums + first * kOutputs,
                                   ask_ahead);
    }
  }
}

/// A weight of a type that has a reader.
template <class Weight, int kOutputs>
void add_read(const MatrixIn& x, const Layout& weight, Index output, Lanes* sums) {
  if (x.rows() == 1) return add_straight<Weight, kOutputs>(x, weight, output, sums);
  add_few<Weight, kOutputs>(x, weight, output, sums);
}

/// kOutputs columns of y from `output` on, for few tokens.
template <int kOutputs>
void write_few(const MatrixIn& x, const Layout& weight, Index output, MatrixInOut& y) {
  constexpr Index kMost = (kFewTokens * kOutputs + kLanes - 1) / kLanes * kLanes;
  Lanes sums[kMost];
  float totals[kMost];
  const Index count = (x.rows() * kOutputs + kLanes - 1) / kLanes * kLanes;  // what stands behind the sums is not used
  std::fill_n(sums, count, Lanes{});
  if (weight.type == WeightType::f32) {
    add_read<F32Weight, kOutputs>(x, weight, output, sums);
  } else if (weight.type == WeightType::f16) {
    add_read<F16Weight, kOutputs>(x, weight, output, sums);
  } else if (weight.type == WeightType::bf16) {
    add_read<Bf16Weight, kOutputs>(x, weight, output, sums);
  } else if (weight.type == WeightType::q8_0) {
    add_read<Q8_0Weight, kOutputs>(x, weight, output, sums);
  } else {
    add_few<void, kOutputs>(x, weight, output, sums);
  }
  for (Index i = 0; i < count; i += kLanes) store_lanes(sums_of_lanes(sums + i), totals + i);
  for (Index t = 0; t < x.rows(); ++t) std::copy_n(totals + t * kOutputs, kOutputs, y.row(t).data() + output);
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
