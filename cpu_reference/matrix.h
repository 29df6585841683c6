#pragma once
// The matrix types of the CPU reference, and the check of shapes at the entry of an operator.

#include <fmt/format.h>

#include <Eigen/Core>
#include <string_view>

#include "core/error.h"

namespace kvarium::cpu {

using Eigen::Index;

/// Row-major, like every array of this project: one row is one token, or one output of a weight matrix.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;
/// Arguments: any matrix whose rows are contiguous, without a copy.
using MatrixIn = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixInOut = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using VectorIn = Eigen::Ref<const Vector>;

/// MisuseError, naming the argument, unless the shape is [rows][columns].
template <typename AnyMatrix>
void expect_shape(const AnyMatrix& matrix, Index rows, Index columns, std::string_view argument) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  throw MisuseError(
      fmt::format("{} has shape [{}][{}], expected [{}][{}]", argument, matrix.rows(), matrix.cols(), rows, columns));
}

/// The bytes of a matrix that is read once.
template <typename AnyMatrix>
std::uint64_t bytes_of(const AnyMatrix& matrix) {
  return static_cast<std::uint64_t>(matrix.size()) * sizeof(float);
}

}  // namespace kvarium::cpu
