#include "cpu_reference/operators/linear.h"

#include <algorithm>

#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {

Matrix linear(const MatrixIn& x, const MatrixIn& weight, Work& work) {
  expect_shape(weight, weight.rows(), x.cols(), "linear: weight");
  Matrix y(x.rows(), weight.rows());
  if (x.rows() == 1) {
    y.row(0).transpose().noalias() = weight * x.row(0).transpose();
  } else {
    y.noalias() = x * weight.transpose();
  }
  work.flops += 2 * static_cast<std::uint64_t>(x.rows()) * static_cast<std::uint64_t>(weight.size());
  work.bytes_read += bytes_of(weight);
  return y;
}

void linear(const MatrixIn& x, const WeightMatrix& weight, MatrixInOut y, ThreadPool& threads, Work& work) {
  constexpr Index kTile = 64;  // outputs of one task
  if (weight.columns != x.cols()) {
    throw MisuseError(fmt::format("linear: weight has shape [{}][{}], expected [{}][{}]", weight.rows, weight.columns,
                                  weight.rows, x.cols()));
  }
  expect_shape(y, x.rows(), weight.rows, "linear: y");
  threads.for_each(static_cast<std::uint32_t>((weight.rows + kTile - 1) / kTile), [&](std::uint32_t i) {
    const Index first = Index{i} * kTile, count = std::min(kTile, weight.rows - first);
    Matrix tile(count, weight.columns);
    for (Index r = 0; r < count; ++r) {
      dequantize_row(weight.type, weight.row(first + r), weight.columns, tile.row(r).data());
    }
    y.middleCols(first, count).noalias() = x * tile.transpose();
  });
  work.flops += 2 * static_cast<std::uint64_t>(x.rows()) * weight.numbers();
  work.bytes_read += weight.bytes();
}

}  // namespace kvarium::cpu
