#include "cpu_reference/attention/paged.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include "cpu_reference/attention/cached.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::attention_oracle;
using kvarium_test::attention_tolerance;
using kvarium_test::AttentionInputs;
using kvarium_test::runs_of;

namespace {

/// attention_paged for queries [first, first + count) of the inputs, with runs of `length` rows.
Matrix paged(const AttentionInputs& in, std::uint32_t first, Index count, std::uint32_t length, std::uint32_t window,
             std::uint32_t threads, Work& work) {
  ThreadPool pool(threads);
  Matrix out = Matrix::Constant(count, in.queries.cols(), NAN);
  attention_paged(in.queries.middleRows(first, count), first, runs_of(in.keys, in.values, length), in.heads, window,
                  out, pool, work);
  return out;
}
Matrix paged(const AttentionInputs& in, std::uint32_t first, Index count, std::uint32_t length) {
  Work work;
  return paged(in, first, count, length, 0, 1, work);
}

}  // namespace

TEST_CASE("paged attention equals the equation, for odd sizes and every grouping of heads") {
  const Heads heads = GENERATE(Heads{1, 1, 2}, Heads{4, 4, 6}, Heads{12, 4, 64}, Heads{6, 3, 20}, Heads{5, 1, 33},
                               Heads{40, 1, 8}, Heads{8, 1, 80}, Heads{2, 1, 256});
  const Index tokens = GENERATE(1, 7, 64, 131);
  CAPTURE(heads.query_heads, heads.kv_heads, heads.head_dim, tokens);
  const AttentionInputs in(tokens, heads, 3);
  const auto expected = attention_oracle(in.queries, in.keys, in.values, heads, kvarium_test::causal());
  const double bound = attention_tolerance(heads.head_dim, tokens);

  Work work, cached_work;
  CHECK(apart(paged(in, 0, tokens, 16, 0, 1, work), expected.out) <= bound);
  attention_cached(in.queries, 0, runs_of(in.keys, in.values, 16), heads, cached_work);
  CHECK(work == cached_work);  // one pass over the same rows

  const auto last = static_cast<std::uint32_t>(tokens - 1);
  CHECK(apart(paged(in, last, 1, 16), expected.out.bottomRows(1)) <= bound);
}

TEST_CASE("a window lets a token see itself and the tokens just before it") {
  const std::uint32_t window = GENERATE(1U, 3U, 64U, 70U, 200U);
  const Heads heads = GENERATE(Heads{2, 2, 4}, Heads{20, 2, 16});
  CAPTURE(window, heads.query_heads);
  const AttentionInputs in(150, heads, 4);
  const auto expected = attention_oracle(in.queries, in.keys, in.values, heads, kvarium_test::sliding(window));
  const double bound = attention_tolerance(heads.head_dim, window);
  Work work;
  CHECK(apart(paged(in, 0, 150, 16, window, 1, work), expected.out) <= bound);
  CHECK(apart(paged(in, 149, 1, 16, window, 1, work), expected.out.bottomRows(1)) <= bound);
  work = {};
  paged(in, 149, 1, 16, window, 1, work);
  CHECK(work.score_products == std::min(window, 150U) * heads.query_heads);
  CHECK(work.bytes_read == std::uint64_t{2} * std::min(window, 150U) * heads.kv_heads * heads.head_dim * 4);
}

TEST_CASE("neither the threads nor the cut into runs changes a bit") {
  const Heads heads = GENERATE(Heads{12, 4, 64}, Heads{6, 2, 10});
  const Index count = GENERATE(1, 40);  // few rows, many rows
  const AttentionInputs in(170, heads, 5);
  const auto first = static_cast<std::uint32_t>(170 - count);
  const Matrix one = paged(in, first, count, 170);
  Work work;
  for (const std::uint32_t length : {1U, 5U, 16U, 64U, 169U}) CHECK(paged(in, first, count, length) == one);
  for (const std::uint32_t threads : {2U, 3U, 5U}) CHECK(paged(in, first, count, 16, 0, threads, work) == one);
}

TEST_CASE("rows behind a token, and in front of its window, are not read: they may hold anything") {
  const Heads heads = GENERATE(Heads{2, 1, 4}, Heads{24, 1, 4});
  const std::uint32_t window = GENERATE(0U, 9U);
  AttentionInputs in(80, heads, 6);
  Work work;
  const Matrix before = paged(in, 20, 30, 16, window, 1, work);
  in.keys.bottomRows(30).setConstant(NAN);
  in.values.bottomRows(30).setConstant(NAN);
  if (window != 0) {
    in.keys.topRows(12).setConstant(NAN);
    in.values.topRows(12).setConstant(NAN);
  }
  CHECK(paged(in, 20, 30, 16, window, 1, work) == before);
  // In the middle of the chunk: the tokens before a damaged row stay as they were, it and those that see it do not.
  in.values.row(35).setConstant(NAN);
  const Matrix after = paged(in, 20, 30, 16, window, 1, work);
  CHECK(after.topRows(15) == before.topRows(15));
  CHECK(after.row(15).array().isNaN().all());
}

#if __has_include(<sys/mman.h>)
TEST_CASE("rows beyond 2^31 numbers from the first are read (B156, B157)") {
  // 2,200,000 rows of 8 heads of 128 numbers, 9 GB that only exist where they are touched: a window touches the last.
  constexpr std::uint32_t kTokens = 2'200'000;
  constexpr std::size_t kWidth = 8 * 128, kBytes = std::size_t{kTokens} * kWidth * sizeof(float);
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    WARN("skipped: this system does not hand out 9 GB of untouched memory");
    return;
  }
  auto* rows = static_cast<float*>(memory);
  const AttentionInputs in(1, Heads{8, 8, 128}, 7);
  const std::size_t last = std::size_t{kTokens - 1} * kWidth;
  REQUIRE(last > std::size_t{1} << 31);
  std::copy_n(in.values.data(), kWidth, rows + last);
  const std::vector<KvRun> runs{{rows, rows, kTokens}};
  Work work;
  ThreadPool pool;
  Matrix out(1, kWidth);
  attention_paged(in.queries, kTokens - 1, runs, in.heads, 1, out, pool, work);
  CHECK(out == in.values);  // one key: its value, exactly
  munmap(memory, kBytes);
}
#endif

TEST_CASE("paged attention refuses what does not fit, and writes nothing") {
  Work work;
  ThreadPool pool;
  const Matrix ones = Matrix::Ones(2, 4);
  Matrix out = Matrix::Constant(2, 4, 7);
  const auto runs = runs_of(ones, ones, 4);
  CHECK_THROWS_WITH(attention_paged(ones, 1, runs, Heads{4, 4, 1}, 0, out, pool, work),
                    "attention_paged: 2 cached rows for 2 tokens from position 1");
  CHECK_THROWS_WITH(attention_paged(ones, 0, runs, Heads{4, 3, 1}, 0, out, pool, work),
                    kvarium_test::contains("4 query heads, 3"));
  CHECK_THROWS_WITH(attention_paged(ones, 0, runs, Heads{10, 4, 1}, 0, out, pool, work),
                    kvarium_test::contains("10 query heads, 4"));  // B155
  CHECK_THROWS_WITH(attention_paged(ones, 0, runs, Heads{2, 2, 1}, 0, out, pool, work),
                    "attention_paged: queries has shape [2][4], expected [2][2]");
  const Matrix wide = Matrix::Ones(1, 257);
  Matrix wide_out = wide;
  CHECK_THROWS_WITH(attention_paged(wide, 0, runs_of(wide, wide, 1), Heads{1, 1, 257}, 0, wide_out, pool, work),
                    "attention_paged: heads of 257, the widest are 256");
  CHECK(out == Matrix::Constant(2, 4, 7));
  CHECK(work == Work{});
}
