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

/// Columns [first, first + columns) of some rows of a weight as floats: where they lie when the weight is F32, else in
/// `tile` of [outputs][columns].
WeightRows widened(const WeightMatrix& weight, Index output, Index outputs, Index first, Index columns, float* tile) {
  const std::uint64_t skip = row_bytes(weight.type, static_cast<std::uint64_t>(first));
  if (weight.type == WeightType::f32) {
    return {weight.row(output) + skip, row_bytes(weight.type, static_cast<std::uint64_t>(weight.columns))};
  }
  for (Index o = 0; o < outputs; ++o) {
    dequantize_row(weight.type, weight.row(output + o) + skip, columns, tile + o * columns);
  }
  return {reinterpret_cast<const std::byte*>(tile), static_cast<std::uint64_t>(columns) * sizeof(float)};
}

Index tasks_of(Index outputs, Index of_task) { return (outputs + of_task - 1) / of_task; }

/// sums[t * kOutputs + o] += x's row t times the weight's rows, for all tokens.
template <class Weight, int kOutputs>
void add_tokens(Rows x, Index tokens, WeightRows weight, Index columns, Lanes* sums) {
  Index t = 0;
  for (; t + 2 <= tokens; t += 2) dot_tile<Weight, 2, kOutputs>(x.from(t), weight, columns, sums + t * kOutputs);
  if (t < tokens) dot_tile<Weight, 1, kOutputs>(x.from(t), weight, columns, sums + t * kOutputs);
}

/// The weight is multiplied as it is read.
template <class Weight, int kOutputs>
void add_straight(const MatrixIn& x, const WeightMatrix& weight, Index output, Lanes* sums) {
  const WeightRows rows{weight.row(output), row_bytes(weight.type, static_cast<std::uint64_t>(weight.columns))};
  add_tokens<Weight, kOutputs>({x.data(), x.outerStride()}, x.rows(), rows, weight.columns, sums);
}

/// The weight is widened into a tile first, once for all tokens.
template <int kOutputs>
void add_widened(const MatrixIn& x, const WeightMatrix& weight, Index output, Lanes* sums) {
  alignas(64) float tile[kOutputs * kColumns];
  for (Index c = 0; c < weight.columns; c += kColumns) {
    const Index columns = std::min(kColumns, weight.columns - c);
    const WeightRows rows = widened(weight, output, kOutputs, c, columns, tile);
    add_tokens<F32Weight, kOutputs>({x.data() + c, x.outerStride()}, x.rows(), rows, columns, sums);
  }
}

/// kOutputs columns of y from `output` on, for few tokens.
template <int kOutputs>
void write_few(const MatrixIn& x, const WeightMatrix& weight, Index output, MatrixInOut& y) {
  Lanes sums[kFewTokens * kOutputs] = {};
  const bool one = x.rows() == 1;
  if (x.rows() <= 2 && weight.type == WeightType::f32) {
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

void linear_few(const MatrixIn& x, const WeightMatrix& weight, MatrixInOut& y, ThreadPool& threads) {
  threads.for_each(static_cast<std::uint32_t>(tasks_of(weight.rows, kFewOutputs)), [&](std::uint32_t task) {
    Index output = task * kFewOutputs;
    const Index end = std::min(weight.rows, output + kFewOutputs);
    for (; output + kOutputsAtOnce <= end; output += kOutputsAtOnce) write_few<kOutputsAtOnce>(x, weight, output, y);
    for (; output < end; ++output) write_few<1>(x, weight, output, y);
  });
}

/// The columns of y from `output` on, for many tokens.
void write_many(const MatrixIn& x, const WeightMatrix& weight, Index output, Index outputs, MatrixInOut& y) {
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

void linear_many(const MatrixIn& x, const WeightMatrix& weight, MatrixInOut& y, ThreadPool& threads) {
  threads.for_each(static_cast<std::uint32_t>(tasks_of(weight.rows, kManyOutputs)), [&](std::uint32_t task) {
    const Index output = task * kManyOutputs;
    write_many(x, weight, output, std::min(kManyOutputs, weight.rows - output), y);
  });
}

}  // namespace

void linear(const MatrixIn& x, const WeightMatrix& weight, MatrixInOut y, ThreadPool& threads, Work& work) {
  if (x.cols() != weight.columns) {
    throw MisuseError(fmt::format("linear: weight has shape [{}][{}], expected [{}][{}]", weight.rows, weight.columns,
                                  weight.rows, x.cols()));
  }
  expect_shape(y, x.rows(), weight.rows, "linear: y");
  if (x.rows() <= kFewTokens) {
    linear_few(x, weight, y, threads);
  } else {
    linear_many(x, weight, y, threads);
  }
  work.flops += 2 * static_cast<std::uint64_t>(x.rows()) * weight.numbers();
  work.bytes_read += weight.bytes();
}

}  // namespace kvarium::cpu
