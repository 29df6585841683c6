// Attention, as a story to be read from top to bottom: one head, three tokens, numbers that fit on a napkin. Every
// number below is checked when the tests run.
//
//   token   key   value        the query is 2; heads here are one number wide, so that q . k is one product
//       0     0       1
//       1   ln3/2     2
//       2   ln4/2     5

#include <cmath>

#include "cpu_reference/attention/cached.h"
#include "cpu_reference/attention/naive.h"
#include "cpu_reference/attention/paged.h"
#include "cpu_reference/operators/softmax.h"
#include "tests/support/catch.h"

namespace kvarium::cpu {
namespace {

using kvarium_test::Approx;

// Each number below is the result of some ten roundings of 2^-24 of numbers up to 5: a relative 1e-6 is twice that.
Approx about(double number) { return Approx(number).epsilon(1e-6); }

const float kLn3 = std::log(3.0F), kLn4 = std::log(4.0F);
constexpr Heads kOneHead{1, 1, 1};

Matrix column(std::initializer_list<float> numbers) {
  Matrix made(static_cast<Index>(numbers.size()), 1);
  std::copy(numbers.begin(), numbers.end(), made.data());
  return made;
}

Matrix keys() { return column({0, kLn3 / 2, kLn4 / 2}); }
Matrix values() { return column({1, 2, 5}); }

TEST_CASE("1. A score says how well a key answers the query") {
  const Matrix scores = 2 * keys().transpose();  // q . k for each token, [1][3]
  CHECK(scores(0, 0) == 0.0F);
  CHECK(scores(0, 1) == about(std::log(3.0)));
  CHECK(scores(0, 2) == about(std::log(4.0)));
}

TEST_CASE("2. Softmax turns scores into shares: exp(score), divided by the sum of all") {
  Matrix shares = 2 * keys().transpose();
  softmax(shares);  // 1, 3 and 4 of 8
  CHECK(shares(0, 0) == about(1 / 8.0));
  CHECK(shares(0, 1) == about(3 / 8.0));
  CHECK(shares(0, 2) == about(4 / 8.0));
  CHECK(shares.sum() == about(1));
}

TEST_CASE("3. The result is the values in these shares: (1 * 1 + 3 * 2 + 4 * 5) / 8") {
  Work work;
  const Matrix out = attention_naive(column({2, 2, 2}), keys(), values(), kOneHead, work);
  CHECK(out(2, 0) == about(27 / 8.0));
}

TEST_CASE("4. No token looks ahead: the first sees one value, the second two") {
  Work work;
  const Matrix out = attention_naive(column({2, 2, 2}), keys(), values(), kOneHead, work);
  CHECK(out(0, 0) == 1.0F);  // its own value, whatever the score
  CHECK(out(1, 0) == about((1 + 3 * 2) / 4.0));
  CHECK(work.score_products == 1 + 2 + 3);
}

TEST_CASE("5. The last token needs the others' keys and values and nothing else of them: that is the cache") {
  const Matrix k = keys(), v = values();
  const KvRun cache{k.data(), v.data(), 3};
  Work work;
  const Matrix out = attention_cached(column({2}), 2, std::span(&cache, 1), kOneHead, work);
  CHECK(out(0, 0) == about(27 / 8.0));
  CHECK(work.score_products == 3);                  // not 6
  CHECK(work.bytes_read == 3 * 2 * sizeof(float));  // three keys, three values
}

TEST_CASE("6. Where the rows lie does not matter: two blocks anywhere in memory") {
  const Matrix k = keys(), v = values();
  const float other_place_k = k(2, 0), other_place_v = v(2, 0);
  const std::vector<KvRun> blocks{{k.data(), v.data(), 2}, {&other_place_k, &other_place_v, 1}};
  ThreadPool one_thread;
  Work work;
  Matrix out(1, 1);
  attention_paged(column({2}), 2, blocks, kOneHead, 0, out, one_thread, work);
  CHECK(out(0, 0) == about(27 / 8.0));
}

TEST_CASE("7. Two query heads may share one KV head: two questions, one cache") {
  const Matrix k = keys(), v = values();
  const KvRun cache{k.data(), v.data(), 3};
  Matrix queries(1, 2);
  queries << 2, 0;  // the second head finds all keys equally good
  Work work;
  const Matrix out = attention_cached(queries, 2, std::span(&cache, 1), Heads{2, 1, 1}, work);
  CHECK(out(0, 0) == about(27 / 8.0));
  CHECK(out(0, 1) == about(8 / 3.0));               // the mean of 1, 2 and 5
  CHECK(work.bytes_read == 3 * 2 * sizeof(float));  // as much as for one head
}

}  // namespace
}  // namespace kvarium::cpu
