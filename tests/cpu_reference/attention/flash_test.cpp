#include "cpu_reference/attention/flash.h"

#include "core/cost/flash_io.h"
#include "tests/cpu_reference/attention/attention_inputs.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::attention_oracle;
using kvarium_test::attention_tolerance;
using kvarium_test::AttentionInputs;

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// One head; the queries are the last `queries` tokens.
struct OneHead {
  OneHead(Index num_queries, Index num_keys, std::uint32_t dim, std::uint64_t seed)
      : keys(AttentionInputs(num_keys, Heads{1, 1, dim}, seed)), queries(keys.queries.topRows(num_queries)) {}

  AttentionInputs keys;
  Matrix queries;
  const Matrix& k() const { return keys.keys; }
  const Matrix& v() const { return keys.values; }
};

std::uint64_t number(Index n) { return static_cast<std::uint64_t>(n); }

Traffic bytes(const AttentionIo& io) { return {io.read * sizeof(float), io.written * sizeof(float)}; }

/// Bytes that FlashAttention 1 moves for n tokens on a chip with room for `on_chip` numbers.
double flash1_bytes(Index n, std::uint32_t dim, std::uint64_t on_chip) {
  const OneHead in(n, n, dim, 1);
  const FlashTiles tiles = flash_tiles(on_chip, dim);
  const TileRows rows{static_cast<Index>(tiles.query_rows), static_cast<Index>(tiles.key_rows)};
  return static_cast<double>(flash_attention_1(in.queries, in.k(), in.v(), rows, false).traffic.total());
}

}  // namespace

TEST_CASE("FlashAttention 1 and 2 and attention in three steps equal the equation, for odd sizes and tiles") {
  const bool is_causal = GENERATE(false, true);
  const Index queries = GENERATE(1, 29, 61);
  const TileRows tile = GENERATE(TileRows{1, 1}, TileRows{7, 5}, TileRows{16, 64}, TileRows{64, 3}, TileRows{100, 100});
  CAPTURE(is_causal, queries, tile.queries, tile.keys);
  const OneHead in(queries, 61, 11, 2);
  const auto expected = attention_oracle(in.queries, in.k(), in.v(), in.keys.heads,
                                         [&](Index i, Index j) { return !is_causal || j <= i + 61 - queries; });
  const double bound = attention_tolerance(11, 61);
  // The lse is the logarithm of a sum of weights, each of which errs as the results do, plus two roundings below 8.
  for (const CountedAttention& result :
       {standard_attention(in.queries, in.k(), in.v(), is_causal),
        CountedAttention(flash_attention_1(in.queries, in.k(), in.v(), tile, is_causal)),
        CountedAttention(flash_attention_2(in.queries, in.k(), in.v(), tile, is_causal))}) {
    CHECK(apart(result.out, expected.out) <= bound);
    CHECK(apart(result.lse, expected.lse) <= bound + 2 * 8 * 0x1p-24);
  }
}

TEST_CASE("queries that see no key give zeros and an lse of -infinity (B142)") {
  const OneHead in(2, 2, 8, 3);
  const Matrix queries = Matrix::Ones(4, 8);  // the last one sees both keys, the third one, the first two none
  for (const CountedAttention& result : {standard_attention(queries, in.k(), in.v(), true),
                                         CountedAttention(flash_attention_1(queries, in.k(), in.v(), {3, 1}, true)),
                                         CountedAttention(flash_attention_2(queries, in.k(), in.v(), {3, 1}, true))}) {
    CHECK(result.out.topRows(2).isZero(0.0F));
    CHECK(result.lse(0, 0) == kMasked);
    CHECK(result.lse(1, 0) == kMasked);
    CHECK(std::isfinite(result.lse(2, 0)));
    CHECK(kvarium_test::difference(result.out.row(2), in.v().row(0)) <= 0x1p-23F);  // its one key's value
  }
}

TEST_CASE("the calculator counts the bytes that the code moves") {
  const Index n = GENERATE(1, 48, 61);
  const TileRows tile = GENERATE(TileRows{1, 1}, TileRows{7, 5}, TileRows{16, 24}, TileRows{64, 64});
  CAPTURE(n, tile.queries, tile.keys);
  const OneHead in(n, n, 6, 4);
  const FlashTiles tiles{number(tile.queries), number(tile.keys)};
  CHECK(standard_attention(in.queries, in.k(), in.v(), false).traffic == bytes(standard_attention_io(number(n), 6)));
  CHECK(flash_attention_1(in.queries, in.k(), in.v(), tile, false).traffic == bytes(flash1_io(number(n), 6, tiles)));
  CHECK(flash_attention_2(in.queries, in.k(), in.v(), tile, false).traffic == bytes(flash2_io(number(n), 6, tiles)));
}

TEST_CASE("F16: bytes of FlashAttention: popular O(N^2 d / M), right Theta(N^2 d^2 / M), counted") {
  // Exact but for what is read or set once: 3 N d + 2 N numbers of the 12 N^2 d^2 / M, and 4 N numbers of 3 N d a
  // round.
  const double few = flash1_bytes(256, 16, 1024);
  CHECK(flash1_bytes(512, 16, 1024) / few == kvarium_test::Approx(4).epsilon(0.1));  // N twice: 4 times
  CHECK(flash1_bytes(256, 16, 2048) / few == kvarium_test::Approx(0.5).epsilon(0.1));
  const double twice_as_wide = flash1_bytes(256, 32, 1024) / few;
  CHECK(twice_as_wide == kvarium_test::Approx(4).epsilon(0.1));  // O(N^2 d / M) would be 2
  CHECK(twice_as_wide > 3);
}

TEST_CASE("standard attention moves N^2 numbers four times, whatever fits the chip") {
  const OneHead in(256, 256, 8, 5);
  const auto standard = static_cast<double>(standard_attention(in.queries, in.k(), in.v(), false).traffic.total());
  CHECK(standard / sizeof(float) == 4 * 256 * 256 + 4 * 256 * 8);
  CHECK(standard / flash1_bytes(256, 8, 2048) > 7);  // 270,336 numbers against 35,328
}

TEST_CASE("F19: a tile is skipped from key start = query end on; popular > multiplies one more tile that nobody sees") {
  const OneHead in(64, 64, 4, 6);
  const Index rows = 16;  // square tiles: query end = the next tile's key start, for every tile of queries but the last
  std::uint64_t right = 0, popular = 0;
  for (Index query = 0; query < 64; query += rows) {
    for (Index key = 0; key < 64; key += rows) {
      const Index query_end = query + rows;  // exclusive
      right += key >= query_end ? 0 : 1;
      popular += key > query_end ? 0 : 1;
    }
  }
  CHECK(right == 4 + 3 + 2 + 1);
  CHECK(popular == right + 3);
  const FlashResult one = flash_attention_1(in.queries, in.k(), in.v(), {rows, rows}, true);
  const FlashResult two = flash_attention_2(in.queries, in.k(), in.v(), {rows, rows}, true);
  CHECK(one.tiles == right);
  CHECK(two.tiles == right);
  // The skipped tiles are not loaded either: 10 pairs of K and V tiles, Q once.
  CHECK(two.traffic.read == (64 * 4 + right * 2 * rows * 4) * sizeof(float));
}

TEST_CASE("one division a row at the end or one a tile: the same within rounding, with less to write") {
  const OneHead in(96, 96, 8, 7);
  const TileRows tile{16, 16};
  const FlashResult one = flash_attention_1(in.queries, in.k(), in.v(), tile, true);
  const FlashResult two = flash_attention_2(in.queries, in.k(), in.v(), tile, true);
  CHECK(kvarium_test::difference(one.out, two.out) <= 2 * attention_tolerance(8, 96));
  CHECK(two.traffic.written == (96 * 8 + 96) * sizeof(float));
  CHECK(two.traffic.written < one.traffic.written);
}

TEST_CASE("very low scores are not masked, and masked values are not read, in every tile (B140, B141, B147)") {
  Matrix queries = Matrix::Constant(2, 1, 60000), keys(2, 1), values(2, 1);
  keys << -1, -60001.0F / 60000.0F;
  values << 1, 2;
  const double weight = std::exp(double{60000.0F * keys(1, 0)} + 60000);
  for (const TileRows tile : {TileRows{1, 1}, TileRows{2, 2}}) {
    const Matrix out = flash_attention_2(queries, keys, values, tile, false).out;
    // Scores of 60000 have steps of 2^-8, half of which the exponent may be off.
    CHECK(std::abs(double{out(0, 0)} - (1 + weight / (1 + weight))) <= 0x1p-9);
    values(1, 0) = NAN;
    CHECK(flash_attention_1(queries, keys, values, tile, true).out(0, 0) == 1.0F);
    CHECK(flash_attention_2(queries, keys, values, tile, true).out(0, 0) == 1.0F);
    values(1, 0) = 2;
  }
}

TEST_CASE("flash attention refuses tiles without rows and shapes that do not fit") {
  const Matrix ones = Matrix::Ones(3, 2);
  CHECK_THROWS_WITH(flash_attention_1(ones, ones, ones, {0, 4}, false),
                    "flash attention 1: tiles of 0 queries and 4 keys");
  CHECK_THROWS_WITH(flash_attention_2(ones, ones, Matrix::Ones(2, 2), {4, 4}, false),
                    "flash attention 2: values has shape [2][2], expected [3][2]");
}
