#include "cpu_reference/operators/rope.h"

#include "tests/cpu_reference/support.h"

using namespace kvarium::cpu;

namespace {

constexpr float kTheta = 10000.0F;

/// Row t turned to position `position` + t. rotary_dim 0: all of the head.
Matrix rotated(Matrix x, std::int64_t position, std::uint32_t head_dim, RopePairs pairs, std::uint32_t rotary_dim = 0) {
  const std::uint32_t turned = rotary_dim == 0 ? head_dim : rotary_dim;
  rope(x, head_dim, rope_angles(position, static_cast<std::uint32_t>(x.rows()), turned, kTheta), pairs);
  return x;
}

}  // namespace

TEST_CASE("RoPE leaves position 0 as it is") {
  std::mt19937_64 draws(3);
  const Matrix x = kvarium_test::random_matrix(1, 16, draws);
  CHECK(rotated(x, 0, 8, RopePairs::interleaved) == x);
  CHECK(rotated(x, 0, 8, RopePairs::halves) == x);
}

TEST_CASE("RoPE turns pair i by position times theta^(-2i / head_dim)") {
  Matrix x(1, 4);
  x << 1, 0, 1, 0;  // pairs (1, 0) and (1, 0) when interleaved
  const Matrix y = rotated(x, 3, 4, RopePairs::interleaved);
  CHECK(
      y(0) ==
      kvarium_test::Approx(std::cos(3.0)).epsilon(1e-6));  // one rounding of the cosine, two of the product and the sum
  CHECK(y(1) == kvarium_test::Approx(std::sin(3.0)).epsilon(1e-6));
  CHECK(y(2) == kvarium_test::Approx(std::cos(0.03)).epsilon(1e-6));
  CHECK(y(3) == kvarium_test::Approx(std::sin(0.03)).epsilon(1e-6));
}

TEST_CASE("the two pair conventions are the same rotation after a permutation of each head") {
  std::mt19937_64 draws(4);
  const Matrix x = kvarium_test::random_matrix(3, 12, draws);  // 2 heads of 6
  const int from[6] = {0, 2, 4, 1, 3, 5};                      // halves[i] = interleaved[from[i]]
  Matrix permuted(3, 12);
  for (int c = 0; c < 12; ++c) permuted.col(c) = x.col(c / 6 * 6 + from[c % 6]);
  const Matrix halves = rotated(permuted, 5, 6, RopePairs::halves);
  const Matrix interleaved = rotated(x, 5, 6, RopePairs::interleaved);
  for (int c = 0; c < 12; ++c) CHECK(halves.col(c) == interleaved.col(c / 6 * 6 + from[c % 6]));
}

TEST_CASE("after RoPE the product of a query and a key depends on their distance only") {
  std::mt19937_64 draws(5);
  const Matrix q = kvarium_test::random_matrix(1, 8, draws), k = kvarium_test::random_matrix(1, 8, draws);
  const auto product = [&](std::uint32_t query_position, std::uint32_t key_position) {
    return rotated(q, query_position, 8, RopePairs::interleaved)
        .row(0)
        .dot(rotated(k, key_position, 8, RopePairs::interleaved).row(0));
  };
  // 8 products of numbers below sqrt(2), each with 3 roundings: below 8 * 2 * 4 * 2^-24 = 4e-6.
  CHECK(std::abs(product(7, 4) - product(103, 100)) <= 4e-6F);
  CHECK(std::abs(product(7, 4) - product(7, 5)) > 1e-2F);
}

TEST_CASE("a key turned to position 5 and back by 3 is the key at position 2") {
  Matrix k(1, 4), expected(1, 4);
  k << 1, 2, 3, 4;
  expected << -3.144039F, 1.919605F, -0.339143F, 4.039197F;  // halves: 1 and 3 turn by 2 radians, 2 and 4 by 0.02
  const Matrix there_and_back = rotated(rotated(k, 5, 4, RopePairs::halves), -3, 4, RopePairs::halves);
  // Two turns of numbers below 5, 4 roundings each: 8 * 5 * 2^-24 = 2.4e-6; the expected numbers have 6 digits.
  CHECK(kvarium_test::difference(there_and_back, rotated(k, 2, 4, RopePairs::halves)) <= 2.4e-6F);
  CHECK(kvarium_test::difference(there_and_back, expected) <= 3e-6F);
}

TEST_CASE("partial RoPE turns the first numbers of each head and leaves the rest (B131)") {
  const RopePairs pairs = GENERATE(RopePairs::interleaved, RopePairs::halves);
  std::mt19937_64 draws(9);
  const Matrix x = kvarium_test::random_matrix(2, 16, draws);  // 2 heads of 8, of which 4 turn
  const Matrix y = rotated(x, 7, 8, pairs, 4);
  for (Index head = 0; head < 16; head += 8) {
    CHECK(y.middleCols(head + 4, 4) == x.middleCols(head + 4, 4));
    // What turns is what a head of 4 would turn: the angles are those of 4 numbers, not of 8.
    CHECK(y.middleCols(head, 4) == rotated(x.middleCols(head, 4), 7, 4, pairs));
  }
}

TEST_CASE("RoPE refuses an odd head and a width that is no whole number of heads") {
  CHECK_THROWS_WITH(rope_angles(0, 1, 3, kTheta),
                    "rope: 3 numbers are to be rotated, and pairs need an even number above 0");
  Matrix x = Matrix::Ones(1, 6);
  CHECK_THROWS_WITH(rope(x, 4, rope_angles(0, 1, 4, kTheta), RopePairs::halves),
                    "rope: 6 columns are no whole number of heads of 4");
  CHECK_THROWS_WITH(rope(x, 6, rope_angles(0, 2, 6, kTheta), RopePairs::halves),
                    "rope: cosines has shape [2][3], expected [1][3]");
  CHECK_THROWS_WITH(rope(x, 2, rope_angles(0, 1, 4, kTheta), RopePairs::halves),
                    "rope: 4 numbers to rotate in a head of 2");
}
