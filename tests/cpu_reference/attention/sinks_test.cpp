#include "cpu_reference/attention/sinks.h"

#include "cpu_reference/operators/rope.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::attention_oracle;
using kvarium_test::attention_tolerance;
using kvarium_test::AttentionInputs;

namespace {

constexpr float kTheta = 10000.0F;
constexpr RopePairs kPairs = RopePairs::halves;

using Rows = std::vector<std::uint32_t>;

/// The rows of `x` with these numbers, row i turned to positions[i].
Matrix turned(const Matrix& x, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& positions,
              std::uint32_t head_dim) {
  Matrix out(static_cast<Index>(rows.size()), x.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Index>(i)) = x.row(static_cast<Index>(rows[i]));
    rope(out.middleRows(static_cast<Index>(i), 1), head_dim, rope_angles(positions[i], 1, head_dim, kTheta), kPairs);
  }
  return out;
}

/// The last token's attention over `rows` of the text, in double. `positions`: of the rows, the query at the last
/// one's.
kvarium_test::Doubles dense(const AttentionInputs& in, const std::vector<std::uint64_t>& rows,
                            const std::vector<std::int64_t>& positions, std::int64_t query_position) {
  const Matrix keys = turned(in.keys, rows, positions, in.heads.head_dim);
  const Matrix query = turned(in.queries, {rows.back()}, {query_position}, in.heads.head_dim);
  Matrix values(keys.rows(), keys.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values.row(static_cast<Index>(i)) = in.values.row(static_cast<Index>(rows[i]));
  }
  return attention_oracle(query, keys, values, in.heads, [](Index, Index) { return true; }).out;
}

/// A text that came token by token.
SinkCache streamed(const AttentionInputs& in, const SinkRule& rule) {
  SinkCache cache(rule, in.heads, kTheta, kPairs);
  for (Index t = 0; t < in.keys.rows(); ++t) cache.append(in.keys.middleRows(t, 1), in.values.middleRows(t, 1));
  return cache;
}

std::vector<std::int64_t> counted_from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) positions[i] = first + static_cast<std::int64_t>(i);
  return positions;
}

}  // namespace

TEST_CASE("the sinks and the last tokens stay, the middle goes") {
  const SinkRule rule{2, 4};
  CHECK(rows_to_keep(rule, 5, 1) == Rows{0, 1, 2, 3, 4});
  CHECK(rows_to_keep(rule, 6, 1) == Rows{0, 1, 3, 4, 5});
  CHECK(rows_to_keep(rule, 6, 3) == Rows{0, 1, 5});
  CHECK(rows_to_keep(rule, 6, 4) == Rows{0, 1});
  CHECK(rows_to_keep(rule, 6, 5) == Rows{0, 1});
  CHECK(rows_to_keep(rule, 9, 1) == Rows{0, 1, 6, 7, 8});
  CHECK(rows_to_keep(rule, 1, 9) == Rows{0});
}

TEST_CASE("a cache with sinks never grows past its capacity and knows which tokens it kept") {
  const AttentionInputs in(10, Heads{2, 1, 4}, 1);
  const SinkCache cache = streamed(in, {2, 4});
  CHECK(cache.tokens() == std::vector<std::uint64_t>{0, 1, 6, 7, 8, 9});
  CHECK(cache.bytes() == 6 * 2 * 4 * sizeof(float));
}

TEST_CASE("positions are places in the cache: the query at 3 of 4, never at 9 beside keys at 0 to 3 (B135)") {
  const AttentionInputs in(10, Heads{2, 1, 8}, 2);
  const SinkCache cache = streamed(in, {1, 3});
  const std::vector<std::uint64_t> kept{0, 7, 8, 9};
  REQUIRE(cache.tokens() == kept);
  Work work;
  const Matrix out = cache.attend(in.queries.bottomRows(1), work);
  const double bound = attention_tolerance(8, 4) + attention_tolerance(8, 4);  // once more for the rotations
  CHECK(apart(out, dense(in, kept, counted_from(0, 4), 3)) <= bound);
  // The other sound convention, absolute positions all through, sees the sink at another distance; mixing the two (rows
  // counted, keys absolute) is no convention at all.
  CHECK(apart(out, dense(in, kept, {0, 7, 8, 9}, 9)) > 1e-3);
  CHECK(apart(out, dense(in, kept, {0, 7, 8, 9}, 3)) > 1e-3);
  CHECK(work.score_products == 4 * 2);
}

TEST_CASE("without sinks only distances count: a dense run on the end of the text at its own positions (B137)") {
  const AttentionInputs in(300, Heads{2, 1, 8}, 3);
  const SinkCache cache = streamed(in, {0, 128});
  REQUIRE(cache.tokens().front() == 172);
  Work work;
  const Matrix out = cache.attend(in.queries.bottomRows(1), work);
  const double bound = 2 * attention_tolerance(8, 128);
  CHECK(apart(out, dense(in, cache.tokens(), counted_from(172, 128), 299)) <= bound);
  CHECK(apart(out, dense(in, cache.tokens(), counted_from(0, 128), 127)) <= bound);
}

TEST_CASE("several tokens at once see the sinks, what is left of the middle and each other in order") {
  const AttentionInputs in(9, Heads{2, 2, 4}, 4);
  SinkCache cache({1, 5}, in.heads, kTheta, kPairs);
  cache.append(in.keys.topRows(6), in.values.topRows(6));
  cache.append(in.keys.bottomRows(3), in.values.bottomRows(3));
  REQUIRE(cache.tokens() == std::vector<std::uint64_t>{0, 4, 5, 6, 7, 8});
  Work work;
  const Matrix out = cache.attend(in.queries.bottomRows(3), work);
  const double bound = 2 * attention_tolerance(4, 6);
  CHECK(apart(out.row(0), dense(in, {0, 4, 5, 6}, counted_from(0, 4), 3)) <= bound);
  CHECK(apart(out.row(2), dense(in, {0, 4, 5, 6, 7, 8}, counted_from(0, 6), 5)) <= bound);
}

TEST_CASE("a cache with sinks refuses what does not fit, and stays as it was") {
  const AttentionInputs in(6, Heads{2, 2, 4}, 5);
  CHECK_THROWS_WITH(SinkCache({0, 0}, in.heads, kTheta, kPairs), "attention sinks: a cache of 0 tokens");
  SinkCache cache({1, 2}, in.heads, kTheta, kPairs);
  cache.append(in.keys.topRows(2), in.values.topRows(2));
  CHECK_THROWS_WITH(cache.append(in.keys.topRows(3), in.values.topRows(3)),
                    "attention sinks: 3 tokens at once do not fit behind 1 in a cache of 3");
  CHECK(cache.tokens() == std::vector<std::uint64_t>{0, 1});
  Work work;
  CHECK_THROWS_WITH(cache.attend(in.queries.topRows(3), work), "attention sinks: 3 queries for 2 rows");
}
