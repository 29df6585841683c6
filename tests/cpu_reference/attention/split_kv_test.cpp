#include "cpu_reference/attention/split_kv.h"

#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::attention_oracle;
using kvarium_test::attention_tolerance;
using kvarium_test::AttentionInputs;
using kvarium_test::runs_of;

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

AttentionPart split(const AttentionInputs& in, std::uint32_t first, Index count, std::uint32_t splits,
                    std::uint32_t length, Work& work, std::uint32_t threads = 1) {
  ThreadPool pool(threads);
  return attention_split_kv(in.queries.middleRows(first, count), first, runs_of(in.keys, in.values, length), splits,
                            in.heads, pool, work);
}

}  // namespace

TEST_CASE("any number of splits gives attention of all tokens, results and lse, and counts the same work (B145)") {
  const std::uint32_t splits = GENERATE(1U, 2U, 3U, 8U, 100U);
  const Heads heads = GENERATE(Heads{2, 2, 4}, Heads{6, 2, 10});
  CAPTURE(splits, heads.query_heads);
  const AttentionInputs in(67, heads, 1);
  const auto expected = attention_oracle(in.queries, in.keys, in.values, heads, kvarium_test::causal());
  const double bound = attention_tolerance(heads.head_dim, 67);
  for (const std::uint32_t first : {0U, 64U, 66U}) {
    Work work, whole;
    const AttentionPart merged = split(in, first, 67 - first, splits, 16, work);
    CHECK(apart(merged.out, expected.out.bottomRows(67 - first)) <= bound);
    // One rounding of a logarithm below 8 for each merge on top.
    CHECK(apart(merged.lse, expected.lse.bottomRows(67 - first)) <= bound + splits * 8 * 0x1p-24);
    split(in, first, 67 - first, 1, 16, whole);
    CHECK(work == whole);
  }
}

TEST_CASE("the lse has one row a token and one column a query head (B145)") {
  const AttentionInputs in(3, Heads{2, 2, 4}, 2);  // 3 queries, 2 heads: a mix-up of the two would not fit
  Work work;
  const AttentionPart one = split(in, 0, 3, 1, 4, work), two = split(in, 0, 3, 2, 4, work);
  CHECK(one.lse.rows() == 3);
  CHECK(one.lse.cols() == 2);
  CHECK(kvarium_test::difference(one.out, two.out) <= 2 * attention_tolerance(4, 3));
  CHECK(kvarium_test::difference(one.lse, two.lse) <= 2 * attention_tolerance(4, 3));
}

TEST_CASE("a part that a query cannot see is nothing: zeros and an lse of -infinity, and it merges as nothing") {
  const AttentionInputs in(8, Heads{2, 1, 4}, 3);
  ThreadPool pool;
  Work work;
  const auto runs = runs_of(in.keys, in.values, 4);
  // Positions 5 to 7 for the queries at positions 3 to 7: the first two see none of them.
  const AttentionPart part = attention_part(in.queries.bottomRows(5), 3, runs, 5, 8, in.heads, pool, work);
  CHECK(part.out.topRows(2).isZero(0.0F));
  CHECK((part.lse.topRows(2).array() == kMasked).all());
  CHECK(work.score_products == 2 * (1 + 2 + 3));

  const std::vector<AttentionPart> nothing{part, part};
  const AttentionPart merged = merge(nothing, in.heads);
  CHECK(merged.out.topRows(2).isZero(0.0F));
  CHECK((merged.lse.topRows(2).array() == kMasked).all());
}

TEST_CASE("split attention has the same bits with any number of threads") {
  const AttentionInputs in(67, Heads{6, 2, 10}, 4);
  Work work;
  const AttentionPart one = split(in, 60, 7, 3, 16, work);
  for (const std::uint32_t threads : {2U, 4U}) {
    const AttentionPart more = split(in, 60, 7, 3, 16, work, threads);
    CHECK(more.out == one.out);
    CHECK(more.lse == one.lse);
  }
}

TEST_CASE("splitting refuses 0 splits, too few rows and parts of different shapes") {
  const AttentionInputs in(4, Heads{2, 1, 4}, 5);
  ThreadPool pool;
  Work work;
  const auto runs = runs_of(in.keys, in.values, 4);
  CHECK_THROWS_WITH(attention_split_kv(in.queries, 0, runs, 0, in.heads, pool, work), "attention_split_kv: 0 splits");
  CHECK_THROWS_WITH(attention_split_kv(in.queries, 1, runs, 2, in.heads, pool, work),
                    "attention_part: 4 cached rows for 4 tokens from position 1");
  CHECK_THROWS_WITH(merge({}, in.heads), "merge: no parts of attention");
  const AttentionPart part = attention_part(in.queries, 0, runs, 0, 4, in.heads, pool, work);
  const std::vector<AttentionPart> parts{part, {part.out, part.lse.transpose()}};  // [h][q] instead of [q][h]
  CHECK_THROWS_WITH(merge(parts, in.heads), "merge: lse has shape [2][4], expected [4][2]");
}
