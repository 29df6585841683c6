#include "cpu_reference/attention/cached.h"
#include "cpu_reference/attention/naive.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::random_matrix;
using kvarium_test::runs_of;

TEST_CASE("equal scores give the mean of the values seen so far, and no token looks ahead") {
  const Heads heads{1, 1, 2};
  Matrix values(3, 2), expected(3, 2);
  values << 2, 0,  //
      4, 0,        //
      9, 3;
  expected << 2, 0,  //
      3, 0,          //
      5, 1;
  Work work;
  const Matrix out = attention_naive(Matrix::Zero(3, 2), Matrix::Ones(3, 2), values, heads, work);
  CHECK(difference(out, expected) <= 2e-6F);  // 3 terms below 9: 3 * 9 * 2^-24
  CHECK(work.score_products == 1 + 2 + 3);
}

TEST_CASE("a query that matches one key strongly copies that key's value") {
  const Heads heads{1, 1, 2};
  Matrix queries(2, 2), keys(2, 2), values(2, 2);
  queries << 0, 0, 100, 0;
  keys << 1, 0, -1, 0;
  values << 5, 6, 7, 8;
  Work work;
  const Matrix out = attention_naive(queries, keys, values, heads, work);
  CHECK(out.row(1) == values.row(0));  // the other weight is exp(-141), below the smallest float
}

TEST_CASE("the query heads of a group read the same KV head") {
  // 4 query heads, 2 KV heads: heads 0 and 1 read KV head 0, heads 2 and 3 read KV head 1.
  const Heads heads{4, 2, 1};
  Matrix values(1, 2), expected(1, 4);
  values << 7, 9;
  expected << 7, 7, 9, 9;
  Work work;
  CHECK(attention_naive(Matrix::Ones(1, 4), Matrix::Ones(1, 2), values, heads, work) == expected);
}

TEST_CASE("attention from a cache equals attention without one, for every grouping of heads and cut into runs") {
  const Heads heads = GENERATE(Heads{1, 1, 2}, Heads{4, 4, 6}, Heads{4, 2, 8}, Heads{6, 3, 2}, Heads{5, 1, 4});
  const std::uint32_t length = GENERATE(1U, 3U, 4U, 16U);
  const Index tokens = 11;
  CAPTURE(heads.query_heads, heads.kv_heads, heads.head_dim, length);
  std::mt19937_64 draws(6);
  const Matrix queries = random_matrix(tokens, Index{heads.query_heads} * heads.head_dim, draws) * 3;
  const Matrix keys = random_matrix(tokens, Index{heads.kv_heads} * heads.head_dim, draws);
  const Matrix values = random_matrix(tokens, Index{heads.kv_heads} * heads.head_dim, draws);
  Work naive_work, chunk_work, last_work;
  const Matrix naive = attention_naive(queries, keys, values, heads, naive_work);

  const std::vector<KvRun> runs = runs_of(keys, values, length);
  const Matrix chunk = attention_cached(queries, 0, runs, heads, chunk_work);
  const Matrix last = attention_cached(queries.bottomRows(1), 10, runs, heads, last_work);
  // Scores are sums of 8 products below 3: they err by 8 * 8 * 3 * 2^-24 = 1.1e-5, which moves a weight, and a sum of
  // values below 1, by twice that; two computations by twice that again.
  CHECK(difference(chunk, naive) <= 5e-5F);
  CHECK(difference(last, naive.bottomRows(1)) <= 5e-5F);
  CHECK(chunk_work.score_products == naive_work.score_products);
  CHECK(chunk_work.flops == naive_work.flops);
  CHECK(last_work.score_products == 11 * heads.query_heads);
  CHECK(last_work.bytes_read == 2 * 11 * heads.kv_heads * heads.head_dim * 4);
}

TEST_CASE("a chunk in the middle reads what is before it and nothing behind it") {
  const Heads heads{2, 1, 4};
  std::mt19937_64 draws(8);
  const Matrix queries = random_matrix(3, 8, draws);
  Matrix keys = random_matrix(9, 4, draws), values = random_matrix(9, 4, draws);
  Work work;
  const Matrix before = attention_cached(queries, 4, runs_of(keys, values, 4), heads, work);
  keys.bottomRows(2).setConstant(NAN);
  values.bottomRows(2).setConstant(NAN);
  CHECK(attention_cached(queries, 4, runs_of(keys, values, 4), heads, work) == before);
  CHECK(work.score_products == 2 * 2 * (5 + 6 + 7));
}

TEST_CASE("attention refuses heads that cannot be grouped, shapes that do not fit and runs that end too early") {
  Work work;
  const Matrix ones = Matrix::Ones(2, 4);
  CHECK_THROWS_WITH(attention_naive(ones, ones, ones, Heads{4, 3, 1}, work),
                    kvarium_test::contains("4 query heads, 3"));
  CHECK_THROWS_WITH(attention_naive(ones, ones, ones, Heads{4, 0, 1}, work), kvarium_test::contains("0 KV heads"));
  CHECK_THROWS_WITH(attention_naive(ones, ones, ones, Heads{4, 2, 1}, work),
                    "attention_naive: keys has shape [2][4], expected [2][2]");
  CHECK_THROWS_WITH(attention_cached(ones, 1, runs_of(ones, ones, 4), Heads{4, 4, 1}, work),
                    "attention_cached: 2 cached rows for 2 tokens from position 1");
  CHECK(work == Work{});
}
