#include "cpu_reference/attention/windowed.h"

#include "cpu_reference/attention/naive.h"
#include "cpu_reference/attention/paged.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::attention_oracle;
using kvarium_test::attention_tolerance;
using kvarium_test::AttentionInputs;

TEST_CASE("windowed attention equals the equation in double, and paged attention with the same window") {
  const std::uint32_t window = GENERATE(1U, 2U, 5U, 40U);
  const Heads heads = GENERATE(Heads{1, 1, 2}, Heads{6, 2, 7});
  CAPTURE(window, heads.query_heads);
  const AttentionInputs in(37, heads, 1);
  Work work, paged_work;
  const Matrix out = attention_windowed(in.queries, in.keys, in.values, heads, window, work);
  const double bound = attention_tolerance(heads.head_dim, window);
  CHECK(apart(out, attention_oracle(in.queries, in.keys, in.values, heads, kvarium_test::sliding(window)).out) <=
        bound);

  ThreadPool threads;
  Matrix paged(out.rows(), out.cols());
  attention_paged(in.queries, 0, kvarium_test::runs_of(in.keys, in.values, 4), heads, window, paged, threads,
                  paged_work);
  CHECK(kvarium_test::difference(paged, out) <= 2 * bound);
  CHECK(paged_work.score_products == work.score_products);
  CHECK(paged_work.flops == work.flops);
}

TEST_CASE("a window of one token copies its value, one as long as the text is no window") {
  const AttentionInputs in(6, Heads{1, 1, 4}, 2);
  Work work;
  CHECK(attention_windowed(in.queries, in.keys, in.values, in.heads, 1, work) == in.values);
  CHECK(work.score_products == 6);
  CHECK(attention_windowed(in.queries, in.keys, in.values, in.heads, 6, work) ==
        attention_naive(in.queries, in.keys, in.values, in.heads, work));
  CHECK_THROWS_WITH(attention_windowed(in.queries, in.keys, in.values, in.heads, 0, work),
                    "attention_windowed: a window of 0 tokens");
}
