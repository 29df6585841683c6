#include "cpu_reference/operators/online_softmax.h"

#include <numeric>

#include "tests/cpu_reference/attention/oracle.h"

using namespace kvarium::cpu;
using kvarium_test::Attended;
using kvarium_test::attended;
using kvarium_test::difference;
using kvarium_test::Doubles;

namespace {

constexpr float kMasked = OnlineSoftmax::kMasked;

/// A state that owns its numbers.
struct Owned {
  explicit Owned(std::size_t dim) : numbers(dim), state{kMasked, 0.0F, numbers} { state.reset(); }
  Owned(const Owned& other) : numbers(other.numbers), state{other.state.max, other.state.sum, numbers} {}
  Owned& operator=(const Owned&) = delete;
  ~Owned() = default;

  std::vector<float> result() const {
    std::vector<float> out(numbers.size());
    state.finish(out);
    return out;
  }

  std::vector<float> numbers;
  OnlineSoftmax state;
};

/// Scores and values of `keys` tokens.
struct Tokens {
  std::vector<float> scores;
  Matrix values;

  std::size_t dim() const { return static_cast<std::size_t>(values.cols()); }
  Owned part(std::size_t first, std::size_t count) const {
    Owned state(dim());
    state.state.add(std::span(scores).subspan(first, count), values.data() + first * dim(), dim());
    return state;
  }
  Attended exact() const { return attended(std::vector<double>(scores.begin(), scores.end()), values.cast<double>()); }
};

Tokens random_tokens(std::size_t keys, Index dim, float spread, std::mt19937_64& draws) {
  Tokens tokens;
  tokens.values = kvarium_test::random_matrix(static_cast<Index>(keys), dim, draws);
  const Matrix scores = kvarium_test::random_matrix(1, static_cast<Index>(keys), draws) * spread;
  tokens.scores.assign(scores.data(), scores.data() + keys);
  return tokens;
}

double apart(const std::vector<float>& a, const std::vector<double>& b) {
  const Eigen::Map<const Matrix> numbers(a.data(), 1, static_cast<Index>(a.size()));
  return kvarium_test::apart(numbers, Eigen::Map<const Doubles>(b.data(), 1, static_cast<Index>(b.size())));
}

Owned merged(Owned a, const Owned& b) {
  a.state.merge(b.state);
  return a;
}

/// A sum of n values below 1 with exact weights errs by n 2^-24; each weight errs by the rounding of its score's
/// difference (spread 2^-24), by 2 roundings of exp and 2 of each rescaling, of which there are at most one a piece.
double tolerance(std::size_t keys, double spread, double pieces) {
  return 0x1p-24 * 2.0 * (static_cast<double>(keys) + 2.0 * spread + 4.0 + 2.0 * pieces);
}

}  // namespace

TEST_CASE("scores that arrive in pieces give the softmax of them all") {
  const std::size_t piece = GENERATE(1U, 2U, 5U, 64U, 1000U);
  std::mt19937_64 draws(1);
  const Tokens tokens = random_tokens(131, 7, 20.0F, draws);
  Owned state(7);
  for (std::size_t first = 0; first < 131; first += piece) {
    const std::size_t count = std::min<std::size_t>(piece, 131 - first);
    state.state.add(std::span(tokens.scores).subspan(first, count), tokens.values.data() + first * 7, 7);
  }
  CHECK(apart(state.result(), tokens.exact().out) <= tolerance(131, 20, 131));
  CHECK(std::abs(double{state.state.lse()} - tokens.exact().lse) <= tolerance(131, 20, 131) + 20 * 0x1p-23);
}

TEST_CASE("states merge in any order and any grouping (commutative and associative within rounding)") {
  const std::uint64_t seed = GENERATE(range(1, 20));
  CAPTURE(seed);
  std::mt19937_64 draws(seed);
  const std::size_t first = 1 + draws() % 40, second = draws() % 40, third = draws() % 3;  // the third may be empty
  const Tokens tokens = random_tokens(first + second + third, 5, 30.0F, draws);
  const Owned a = tokens.part(0, first), b = tokens.part(first, second), c = tokens.part(first + second, third);
  const double bound = tolerance(first + second + third, 30, 4);
  const std::vector<double> exact = tokens.exact().out;
  CHECK(apart(merged(merged(a, b), c).result(), exact) <= bound);
  CHECK(apart(merged(a, merged(b, c)).result(), exact) <= bound);
  CHECK(apart(merged(merged(c, b), a).result(), exact) <= bound);
  CHECK(apart(merged(merged(b, a), c).result(), exact) <= bound);
}

TEST_CASE("nothing merged with nothing is nothing, and nothing changes nothing") {
  const Owned nothing = merged(Owned(3), Owned(3));
  CHECK(nothing.state.max == kMasked);
  CHECK(nothing.state.sum == 0.0F);
  CHECK(nothing.state.lse() == kMasked);
  CHECK(nothing.result() == std::vector<float>{0, 0, 0});

  std::mt19937_64 draws(2);
  const Owned some = random_tokens(9, 3, 4.0F, draws).part(0, 9);
  CHECK(merged(some, Owned(3)).result() == some.result());
  CHECK(merged(Owned(3), some).result() == some.result());
  CHECK(merged(Owned(3), some).state.lse() == some.state.lse());
}

TEST_CASE("all masked gives zeros and an lse of -infinity, whatever lies in the values (B147)") {
  Matrix values = Matrix::Constant(4, 2, NAN);
  Owned state(2);
  state.state.add(std::vector<float>(4, kMasked), values.data(), 2);
  CHECK(state.result() == std::vector<float>{0, 0});
  CHECK(state.state.lse() == kMasked);

  const std::vector<float> scores{kMasked, 3, kMasked, kMasked};  // one key is seen: its value, exactly
  values.row(1) << 5, 6;
  state.state.add(scores, values.data(), 2);
  CHECK(state.result() == std::vector<float>{5, 6});
  CHECK(state.state.lse() == 3.0F);
}

TEST_CASE("very low scores are scores: no finite number stands for minus infinity (B140, B141)") {
  Matrix values(2, 1);
  values << 1, 2;
  Owned low(1);
  low.state.add(std::vector<float>{-60000, -60001}, values.data(), 1);
  // Weights 1 / (1 + e^-1) and e^-1 / (1 + e^-1); five roundings of numbers below 2.
  CHECK(std::abs(double{low.result()[0]} - (1 + 1 / (1 + std::exp(1.0)))) <= 5 * 0x1p-23);

  values << 1, 100;
  Owned masked(1);
  masked.state.add(std::vector<float>{-20000, kMasked}, values.data(), 1);
  CHECK(masked.result()[0] == 1.0F);  // 100 with -10000 for "masked"
}

TEST_CASE("the scale follows a growing maximum: early scores lose their weight, late ones keep theirs") {
  Matrix values(3, 1);
  values << 1, 2, 3;
  Owned state(1);
  for (std::size_t j = 0; j < 3; ++j) {
    const float score = 1000.0F * static_cast<float>(j);
    state.state.add(std::span(&score, 1), values.data() + j, 1);
    CHECK(state.result()[0] == values(static_cast<Index>(j), 0));  // exp(-1000) is 0
    CHECK(state.state.lse() == score);
  }
}

TEST_CASE("a score of NaN or plus infinity makes its query NaN and stays") {
  const float damaged = GENERATE(NAN, INFINITY);
  const Matrix values = Matrix::Ones(3, 1);
  Owned state(1);
  state.state.add(std::vector<float>{1, damaged, 2}, values.data(), 1);
  state.state.add(std::vector<float>{5}, values.data(), 1);
  CHECK(std::isnan(state.result()[0]));
  CHECK(std::isnan(state.state.lse()));
  CHECK(std::isnan(merged(Owned(1), state).result()[0]));
  CHECK(std::isnan(merged(state, Owned(1)).result()[0]));
}

TEST_CASE("finished results merge by their lse, and an lse to base 2 is turned first (B146)") {
  std::vector<float> a{1}, b{5};
  // Both sums are 4: lse = 2 to base 2, that is ln 4. The mean of 1 and 5 is 3.
  OnlineSoftmax state = finished_state(a, natural_lse(2.0F));
  state.merge(finished_state(b, natural_lse(2.0F)));
  std::vector<float> out(1);
  state.finish(out);
  CHECK(out[0] == 3.0F);
  CHECK(std::abs(state.lse() - std::log(8.0F)) <= 4 * 0x1p-23F);  // two roundings each of the logarithm and its sum

  // With sums of 4 and 12 the weights are 1 : 3. Taken for natural logarithms they would be e^2 : e^3.58 = 1 : 4.9.
  a = {1};
  state = finished_state(a, natural_lse(2.0F));
  state.merge(finished_state(b, natural_lse(std::log2(12.0F))));
  state.finish(out);
  CHECK(std::abs(out[0] - 4.0F) <= 8 * 4 * 0x1p-23F);
}

TEST_CASE("states of different widths do not merge") {
  Owned a(2), b(3);
  CHECK_THROWS_WITH(a.state.merge(b.state), "online softmax: the other state has 3 numbers, expected 2");
  CHECK_THROWS_WITH(a.state.finish(b.numbers), "online softmax: the result has 3 numbers, expected 2");
}
