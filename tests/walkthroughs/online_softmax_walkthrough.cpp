// Softmax that never sees all scores, as a story to be read from top to bottom. Every state below is checked when the
// tests run. FlashAttention, Flash-Decoding and paged attention are this and a plan of what to load when.
//
// Notation of a state, with sum and out as numbers beside the highest score so far:
//   max ln 3 | sum 1.333 | out 2.333
//   result = out / sum: 1.75        lse = max + ln(sum): ln 4

#include <cmath>
#include <vector>

#include "cpu_reference/operators/online_softmax.h"
#include "tests/support/catch.h"

namespace kvarium::cpu {
namespace {

using kvarium_test::Approx;

// A handful of roundings of 2^-24 each: a relative 1e-6 is more than they can add up to.
Approx about(double number) { return Approx(number).epsilon(1e-6); }

const float kLn3 = std::log(3.0F), kLn4 = std::log(4.0F);

/// A state with a result of one number.
struct State : OnlineSoftmax {
  State() { out = {&number, 1}; }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() = default;
  void add_one(float score, float value) { add({&score, 1}, &value, 1); }
  float result() const {
    float finished = 0;
    finish({&finished, 1});
    return finished;
  }
  float number = 0;
};

/// Scores 0 and ln 3, values 1 and 2.
void fill_a(State& a) {
  a.add_one(0, 1);
  a.add_one(kLn3, 2);
}
/// Score ln 4, value 5.
void fill_b(State& b) { b.add_one(kLn4, 5); }

TEST_CASE("1. One score: its share is everything") {
  State state;
  state.add_one(0, 1);
  CHECK(state.max == 0.0F);
  CHECK(state.sum == 1.0F);  // exp(0 - max)
  CHECK(state.result() == 1.0F);
}

TEST_CASE("2. A higher score becomes the new maximum, and what was added before is brought to it") {
  State state;
  fill_a(state);
  CHECK(state.max == kLn3);
  CHECK(state.sum == about(1 / 3.0 + 1));  // the 1 of before times exp(0 - ln 3), and exp(0) for the new one
  CHECK(state.number == about(1 / 3.0 * 1 + 2));
  CHECK(state.result() == about(1.75));        // (1 * 1 + 3 * 2) / 4
  CHECK(state.lse() == about(std::log(4.0)));  // exp(0) + exp(ln 3) = 4
}

TEST_CASE("3. A lower score leaves the maximum and adds its little") {
  State state;
  state.add_one(kLn3, 2);
  state.add_one(0, 1);
  CHECK(state.max == kLn3);
  CHECK(state.result() == about(1.75));  // the order did not matter
}

TEST_CASE("4. Two parts that were computed apart merge into what one pass over both would give") {
  State a, b;
  fill_a(a);
  fill_b(b);
  CHECK(b.result() == 5.0F);
  CHECK(b.lse() == about(std::log(4.0)));
  a.merge(b);
  CHECK(a.max == kLn4);
  CHECK(a.result() == about(3.375));  // both lse are ln 4, so the mean of 1.75 and 5
  CHECK(a.lse() == about(std::log(8.0)));

  State one_pass;
  fill_a(one_pass);
  fill_b(one_pass);
  CHECK(one_pass.result() == about(3.375));
}

TEST_CASE("5. A finished result and its lse are a state too: that is all a part must hand over") {
  float result_a = 1.75F, result_b = 5.0F;
  OnlineSoftmax a = finished_state({&result_a, 1}, kLn4);
  a.merge(finished_state({&result_b, 1}, kLn4));
  a.finish(a.out);
  CHECK(result_a == about(3.375));
}

TEST_CASE("6. Nothing is a state: max is minus infinity, sum and result are 0, and it changes nobody") {
  State nothing, more_nothing, a;
  nothing.merge(more_nothing);
  CHECK(nothing.max == OnlineSoftmax::kMasked);
  CHECK(nothing.result() == 0.0F);  // not NaN: exp(-inf - -inf) is never asked for
  CHECK(nothing.lse() == OnlineSoftmax::kMasked);
  fill_a(a);
  a.merge(nothing);
  CHECK(a.result() == about(1.75));
}

TEST_CASE(
    "7. Without bringing the old sum to the new maximum the result is wrong (as in a popular listing of version 2)") {
  // O += exp(m_block - m_new) P V, with no factor exp(m_old - m_new) on the O of before.
  State right;
  right.add_one(0, 1);
  right.add_one(kLn4, 5);
  CHECK(right.result() == about((1 * 1 + 4 * 5) / 5.0));
  const double forgotten = (1.0 * 1 + 1.0 * 5) / (1.0 + 1.0);  // both as if they were the highest
  CHECK(forgotten == 3.0);
  CHECK(right.result() != Approx(forgotten).epsilon(0.1));
}

TEST_CASE("8. Logarithms to base 2 must be turned before they meet natural ones") {
  CHECK(natural_lse(2.0F) == about(std::log(4.0)));  // FlashInfer would write 2 for a sum of 4
}

}  // namespace
}  // namespace kvarium::cpu
