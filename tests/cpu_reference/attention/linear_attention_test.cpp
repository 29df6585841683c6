#include "cpu_reference/attention/linear.h"
#include "cpu_reference/attention/retention.h"
#include "tests/cpu_reference/attention/oracle.h"

using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::difference;
using kvarium_test::Doubles;
using kvarium_test::random_matrix;

namespace {

struct Text {
  Text(Index tokens, Index dim, Index value_dim, std::uint64_t seed) {
    std::mt19937_64 draws(seed);
    queries = random_matrix(tokens, dim, draws) * 2;
    keys = random_matrix(tokens, dim, draws) * 2;
    values = random_matrix(tokens, value_dim, draws);
  }
  Matrix queries, keys, values;
};

double phi(double x) { return x > 0 ? x + 1 : std::exp(x); }

/// out_i = sum_j weight(i, j) v_j over j <= i, in double; divided by the sum of weights for linear attention.
template <typename Weight>
Doubles weighted(const Text& text, bool divide, Weight weight) {
  Doubles out = Doubles::Zero(text.values.rows(), text.values.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    double sum = 0.0;
    for (Index j = 0; j <= i; ++j) {
      const double w = weight(i, j);
      sum += w;
      out.row(i) += w * text.values.row(j).cast<double>();
    }
    if (divide) out.row(i) /= sum;
  }
  return out;
}

Doubles linear_oracle(const Text& text) {
  return weighted(text, true, [&](Index i, Index j) {
    double product = 0.0;
    for (Index c = 0; c < text.keys.cols(); ++c)
      product += phi(double{text.queries(i, c)}) * phi(double{text.keys(j, c)});
    return product;
  });
}

Doubles retention_oracle(const Text& text, double gamma) {
  return weighted(text, false, [&](Index i, Index j) {
    const double product = text.queries.row(i).cast<double>().dot(text.keys.row(j).cast<double>());
    return std::pow(gamma, static_cast<double>(i - j)) * product;
  });
}

template <typename State>
Matrix step_by_step(State& state, const Text& text) {
  Matrix out(text.values.rows(), text.values.cols());
  for (Index t = 0; t < out.rows(); ++t) {
    out.row(t) = state.step(text.queries.middleRows(t, 1), text.keys.middleRows(t, 1), text.values.middleRows(t, 1));
  }
  return out;
}

constexpr Index kTokens = 53, kDim = 6, kValueDim = 5;
// phi of numbers below 2 is below 3, products of two below 9: all positive, so a mean of values below 1 errs by no more
// than its sums of 6 products and 53 tokens do, twice for the division.
constexpr double kLinearBound = 0x1p-24 * 2 * (kDim + kTokens + 4);
// Sums of 53 results below 6 * 4 each, of both signs: an error of 53 + 6 roundings of all of them.
constexpr double kRetentionBound = 0x1p-24 * (kTokens + kDim + 4) * (kTokens * kDim * 4.0);

}  // namespace

TEST_CASE("linear attention is the same token by token and all at once, and equals its equation") {
  const Text text(kTokens, kDim, kValueDim, 1);
  LinearAttention state(kDim, kValueDim);
  const Matrix recurrent = step_by_step(state, text);
  const Matrix parallel = linear_attention_parallel(text.queries, text.keys, text.values);
  const Doubles expected = linear_oracle(text);
  CHECK(apart(recurrent, expected) <= kLinearBound);
  CHECK(apart(parallel, expected) <= kLinearBound);
  CHECK(difference(recurrent, parallel) <= 2 * kLinearBound);
}

TEST_CASE("retention is the same token by token, in chunks and all at once, and equals its equation") {
  const float gamma = GENERATE(0.5F, 0.96875F, 1.0F);  // 1 - 2^-5 is the paper's first head
  const Text text(kTokens, kDim, kValueDim, 2);
  Retention state(kDim, kValueDim, gamma);
  const Doubles expected = retention_oracle(text, double{gamma});
  CHECK(apart(step_by_step(state, text), expected) <= kRetentionBound);
  CHECK(apart(retention_parallel(text.queries, text.keys, text.values, gamma), expected) <= kRetentionBound);

  Retention chunked(kDim, kValueDim, gamma);
  for (Index first = 0; first < kTokens; first += 20) {
    const Index count = std::min<Index>(20, kTokens - first);
    const Matrix out = chunked.chunk(text.queries.middleRows(first, count), text.keys.middleRows(first, count),
                                     text.values.middleRows(first, count));
    CHECK(apart(out, expected.middleRows(first, count)) <= kRetentionBound);
  }
}

TEST_CASE("the state has the same size after one token and after a thousand") {
  const Text text(1000, 4, 3, 3);
  LinearAttention linear(4, 3);
  Retention retention(4, 3, 0.5F);
  linear.step(text.queries.topRows(1), text.keys.topRows(1), text.values.topRows(1));
  CHECK(linear.bytes() == (4 * 3 + 4) * sizeof(float));
  step_by_step(linear, text);
  step_by_step(retention, text);
  CHECK(linear.bytes() == (4 * 3 + 4) * sizeof(float));
  CHECK(retention.bytes() == 4 * 3 * sizeof(float));
}

TEST_CASE("retention forgets: with gamma = 1/2 a token's share halves at each step") {
  Retention state(1, 1, 0.5F);
  const Matrix one = Matrix::Ones(1, 1), nothing = Matrix::Zero(1, 1);
  CHECK(state.step(one, one, one)(0, 0) == 1.0F);
  CHECK(state.step(one, nothing, nothing)(0, 0) == 0.5F);
  CHECK(state.step(one, nothing, nothing)(0, 0) == 0.25F);
}

TEST_CASE("linear attention and retention refuse shapes that do not fit and a gamma that grows") {
  LinearAttention linear(4, 3);
  const Matrix four = Matrix::Ones(1, 4), three = Matrix::Ones(1, 3);
  CHECK_THROWS_WITH(linear.step(four, three, three), "linear attention: key has shape [1][3], expected [1][4]");
  CHECK_THROWS_WITH(linear.step(four, four, four), "linear attention: value has shape [1][4], expected [1][3]");
  CHECK_THROWS_WITH(Retention(4, 3, 1.5F), "retention: gamma 1.5 is not in (0, 1]");
  CHECK_THROWS_WITH(Retention(4, 3, NAN), "retention: gamma nan is not in (0, 1]");
}
