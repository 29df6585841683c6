// linear() for every weight type against sums in double precision over the numbers that dequantize_row() gives.

#include <cmath>
#include <cstring>

#include "cpu_reference/operators/linear.h"
#include "cpu_reference/quant/dequantize.h"
#include "cpu_reference/quant/q4_k.h"
#include "cpu_reference/quant/q6_k.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::random_matrix;

namespace {

const std::vector<WeightType> kTypes = {WeightType::f32,  WeightType::f16,  WeightType::bf16, WeightType::q8_0,
                                        WeightType::q4_0, WeightType::q4_1, WeightType::q5_0, WeightType::q5_1,
                                        WeightType::q4_k, WeightType::q6_k};

/// A weight that owns its bytes, on a 64-byte boundary.
class TestWeight {
 public:
  TestWeight(WeightType type, Index rows, Index columns, std::mt19937_64& draws)
      : bytes_(static_cast<std::size_t>(rows) * row_bytes(type, static_cast<std::uint64_t>(columns)) + 64) {
    auto* begin = bytes_.data();
    begin += (64 - reinterpret_cast<std::uintptr_t>(begin) % 64) % 64;
    view = {type, rows, columns, begin};
    const Matrix numbers = random_matrix(rows, columns, draws);
    for (Index r = 0; r < rows; ++r) write_row(numbers.row(r).data(), writable_row(r), draws);
  }
  std::byte* writable_row(Index r) { return const_cast<std::byte*>(view.row(r)); }
  Matrix numbers() const {
    Matrix result(view.rows, view.columns);
    for (Index r = 0; r < view.rows; ++r) dequantize_row(view.type, view.row(r), view.columns, result.row(r).data());
    return result;
  }

  WeightMatrix view;

 private:
  void write_row(const float* numbers, std::byte* row, std::mt19937_64& draws) {
    if (view.type != WeightType::q4_k && view.type != WeightType::q6_k) {
      return quantize_row(view.type, numbers, view.columns, row);
    }
    const std::uint64_t bytes = row_bytes(view.type, static_cast<std::uint64_t>(view.columns));
    for (std::uint64_t i = 0; i < bytes; ++i) row[i] = static_cast<std::byte>(draws());
    for (Index b = 0; b < view.columns / 256; ++b) {  // random bits, but scales that are numbers
      if (view.type == WeightType::q4_k) {
        blocks_of<BlockQ4_K>(row)[b].scale.set(numbers[b] * 1e-3F);
        blocks_of<BlockQ4_K>(row)[b].minimum_scale.set(numbers[b + 1] * 1e-2F);
      } else {
        blocks_of<BlockQ6_K>(row)[b].scale.set(numbers[b] * 1e-4F);
      }
    }
  }
  std::vector<std::byte> bytes_;
};

Matrix product(const MatrixIn& x, const WeightMatrix& weight, std::uint32_t num_threads = 1) {
  ThreadPool threads(num_threads);
  Work work;
  Matrix y = Matrix::Constant(x.rows(), weight.rows, NAN);  // whatever stood there is overwritten
  linear(x, weight, y, threads, work);
  return y;
}

/// How many y[t][o] are farther from the double sum than rounding explains. A sum of n products in any order errs by at
/// most n u sum |products|, u = 2^-24: n - 1 additions and the product's own rounding.
int wrong_outputs(const Matrix& y, const Matrix& x, const Matrix& weight) {
  int wrong = 0;
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index o = 0; o < weight.rows(); ++o) {
      double sum = 0, size = 0;
      for (Index i = 0; i < x.cols(); ++i) {
        const double term = double{x(t, i)} * double{weight(o, i)};
        sum += term;
        size += std::abs(term);
      }
      const double allowed = static_cast<double>(x.cols()) * 0x1p-24 * size;
      if (!(std::abs(double{y(t, o)} - sum) <= allowed)) ++wrong;
    }
  }
  return wrong;
}

std::vector<Index> widths_of(WeightType type) {
  switch (numbers_per_block(type)) {
    case 1:
      return {1, 31, 70, 515};
    case 32:
      return {32, 96, 544};
    default:
      return {256, 768};
  }
}

}  // namespace

TEST_CASE("a linear layer multiplies by the transposed weight") {
  Matrix x(2, 3), weight(2, 3), expected(2, 2);
  x << 1, 2, 3,  //
      4, 5, 6;
  weight << 1, 0, -1,  //
      10, 20, 30;
  expected << -2, 140,  //
      -2, 320;
  // Small integers: exact.
  CHECK(product(x, {WeightType::f32, 2, 3, reinterpret_cast<const std::byte*>(weight.data())}) == expected);
}

TEST_CASE("a linear layer over any weight type equals the sums in double precision at odd sizes") {
  for (const WeightType type : kTypes) {
    for (const Index columns : widths_of(type)) {
      for (const Index rows : {1, 3, 7, 65}) {
        for (const Index tokens : {1, 2, 3, 8, 17, 33}) {
          std::mt19937_64 draws(static_cast<std::uint64_t>(columns * 1000 + rows * 40 + tokens));
          const TestWeight weight(type, rows, columns, draws);
          const Matrix x = random_matrix(tokens, columns, draws);
          INFO(name(type) << " [" << rows << "][" << columns << "], " << tokens << " tokens");
          REQUIRE(wrong_outputs(product(x, weight.view), x, weight.numbers()) == 0);
        }
      }
    }
  }
}

TEST_CASE("a linear layer has the same bits with 1, 2 and 3 threads") {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::q8_0, WeightType::q4_k}) {
    for (const Index tokens : {1, 8, 40}) {
      INFO(name(type) << ", " << tokens << " tokens");
      std::mt19937_64 draws(5);
      const TestWeight weight(type, 300, 768, draws);  // ten tasks of few tokens, three of many
      const Matrix x = random_matrix(tokens, 768, draws);
      const Matrix one = product(x, weight.view, 1);
      CHECK(product(x, weight.view, 2) == one);
      CHECK(product(x, weight.view, 3) == one);
    }
  }
}

TEST_CASE("up to 16 tokens together get the bits that each gets alone") {
  for (const WeightType type : kTypes) {
    INFO(name(type));
    std::mt19937_64 draws(6);
    const TestWeight weight(type, 43, 768, draws);
    const Matrix x = random_matrix(kFewTokens, 768, draws);
    for (const Index tokens : {2, 3, 8, 16}) {
      const Matrix together = product(x.topRows(tokens), weight.view);
      for (Index t = 0; t < tokens; ++t) REQUIRE(together.row(t) == product(x.row(t), weight.view));
    }
  }
}

TEST_CASE("a NaN in x or in a weight reaches every output that it is part of, and no other") {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16, WeightType::q8_0}) {
    for (const Index tokens : {1, 3, 20}) {
      INFO(name(type) << ", " << tokens << " tokens");
      std::mt19937_64 draws(7);
      TestWeight weight(type, 11, 64, draws);
      Matrix x = random_matrix(tokens, 64, draws);
      x(tokens - 1, 63) = NAN;
      const Matrix y = product(x, weight.view);
      CHECK(y.bottomRows(1).array().isNaN().all());
      CHECK(!y.topRows(tokens - 1).array().isNaN().any());

      x(tokens - 1, 63) = 0;
      const std::uint32_t nan = type == WeightType::f32 ? 0x7FC00000U : 0x7FC0U;  // of F16, BF16 and a Q8_0 scale too
      std::memcpy(weight.writable_row(10), &nan, type == WeightType::f32 ? 4 : 2);
      const Matrix of_weight = product(x, weight.view);
      CHECK(of_weight.rightCols(1).array().isNaN().all());
      CHECK(!of_weight.leftCols(10).array().isNaN().any());
    }
  }
}

TEST_CASE("rows of x and y may lie apart, as parts of a wider matrix do") {
  std::mt19937_64 draws(8);
  const TestWeight weight(WeightType::f32, 20, 40, draws);
  for (const Index tokens : {1, 5, 20}) {
    const Matrix wide = random_matrix(tokens, 100, draws);
    Matrix y = Matrix::Constant(tokens, 50, 9.0F);
    ThreadPool threads;
    Work work;
    linear(wide.middleCols(30, 40), weight.view, y.middleCols(10, 20), threads, work);
    CHECK(y.middleCols(10, 20) == product(wide.middleCols(30, 40), weight.view));
    CHECK((y.leftCols(10).array() == 9.0F).all());
    CHECK((y.rightCols(20).array() == 9.0F).all());
  }
}

TEST_CASE("a linear layer reads each byte of a weight once for all tokens") {
  std::mt19937_64 draws(9);
  const TestWeight weight(WeightType::q8_0, 5, 64, draws);
  ThreadPool threads;
  Work work;
  Matrix y(4, 5);
  linear(random_matrix(4, 64, draws), weight.view, y, threads, work);
  CHECK(work.flops == 2 * 4 * 5 * 64);
  CHECK(work.bytes_read == 5 * 2 * 34);
}

TEST_CASE("a linear layer refuses matrices that do not fit") {
  std::mt19937_64 draws(10);
  const TestWeight weight(WeightType::f32, 2, 4, draws);
  ThreadPool threads;
  Work work;
  Matrix y(1, 2);
  CHECK_THROWS_WITH(linear(Matrix::Ones(1, 3), weight.view, y, threads, work),
                    "linear: weight has shape [2][4], expected [2][3]");
  CHECK_THROWS_WITH(linear(Matrix::Ones(3, 4), weight.view, y, threads, work),
                    "linear: y has shape [1][2], expected [3][2]");
}

TEST_CASE("a quantised row that is no whole number of blocks is refused before a thread touches it") {
  const Matrix x = Matrix::Zero(1, 33);
  Matrix y = Matrix::Zero(1, 2);
  const std::vector<std::byte> bytes(256);
  const WeightMatrix weight{WeightType::q8_0, 2, 33, bytes.data()};
  ThreadPool threads(2);
  Work work;
  CHECK_THROWS_AS(linear(x, weight, y, threads, work), MisuseError);
  CHECK(work == Work{});
}
