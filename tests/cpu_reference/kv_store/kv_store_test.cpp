#include "core/cost/kv_bytes.h"
#include "core/error.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

ModelShape tiny_shape() {
  ModelShape shape;
  shape.layers = 2;
  shape.kv_heads = 2;
  shape.head_dim = 2;
  return shape;
}

/// A latent row of 3 + 2 numbers.
ModelShape latent_shape() {
  ModelShape shape = tiny_shape();
  shape.kv_kind = KvKind::latent;
  shape.latent_dim = 3;
  shape.rotary_key_dim = 2;
  return shape;
}

/// A number that tells layer, position, element, and K from V.
float mark(std::uint32_t layer, std::uint32_t position, std::size_t element, bool is_value) {
  return static_cast<float>(layer * 1000 + position * 10 + element) + (is_value ? 0.5F : 0.0F);
}

void write_all(KvSequence& cache, std::uint32_t tokens) {
  for (std::uint32_t layer = 0; layer < cache.layers(); ++layer) {
    for (std::uint32_t position = 0; position < tokens; ++position) {
      const KvRow row = cache.row(layer, position);
      for (std::size_t i = 0; i < cache.row_width(); ++i) {
        row.key[i] = mark(layer, position, i, false);
        if (cache.value_width() > 0) row.value[i] = mark(layer, position, i, true);
      }
    }
  }
  cache.advance(tokens);
}

/// Every number of positions [0, tokens) lies where runs() says, K and V, in order.
bool reads_back(const KvSequence& cache, std::uint32_t tokens) {
  for (std::uint32_t layer = 0; layer < cache.layers(); ++layer) {
    std::uint32_t position = 0;
    for (const KvRun& run : cache.runs(layer, tokens)) {
      for (std::uint32_t t = 0; t < run.tokens; ++t, ++position) {
        for (std::size_t i = 0; i < cache.row_width(); ++i) {
          const std::size_t at = t * cache.row_width() + i;
          if (run.keys[at] != mark(layer, position, i, false)) return false;
          if (run.values[at] != mark(layer, position, i, cache.value_width() > 0)) return false;
        }
      }
    }
    if (position != tokens) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a contiguous cache is one run of rows") {
  ContiguousKvCache cache(tiny_shape(), 7);
  write_all(cache, 5);
  CHECK(cache.num_tokens() == 5);
  CHECK(cache.runs(1, 5).size() == 1);
  CHECK(reads_back(cache, 5));
  CHECK(cache.bytes() == 2 * 2 * 7 * 4 * 4);  // K and V, layers, tokens, row, bytes a number
}

TEST_CASE("a paged sequence is one run a block, in the order of its table") {
  PagedKvStore store(tiny_shape(), 4, 3);
  const std::vector<BlockId> table{BlockId{2}, BlockId{0}, BlockId{3}};
  PagedKvSequence sequence(store, table, 0);
  write_all(sequence, 7);
  const std::vector<KvRun> runs = sequence.runs(0, 7);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].tokens == 3);
  CHECK(runs[2].tokens == 1);
  CHECK(runs[1].keys == store.block(0, BlockId{0}).keys);
  CHECK(reads_back(sequence, 7));
  CHECK(store.bytes() == 2 * 2 * 4 * 3 * 4 * 4);
}

TEST_CASE("with latent attention a cache keeps one row a token and layer, and no V") {
  ContiguousKvCache cache(latent_shape(), 7);
  PagedKvStore store(latent_shape(), 4, 3);
  const std::vector<BlockId> table{BlockId{2}, BlockId{0}, BlockId{3}};
  PagedKvSequence sequence(store, table, 0);
  for (KvSequence* kept : {static_cast<KvSequence*>(&cache), static_cast<KvSequence*>(&sequence)}) {
    CHECK(kept->row_width() == 5);
    CHECK(kept->value_width() == 0);
    CHECK(kept->row(1, 6).value == nullptr);
    write_all(*kept, 7);
    CHECK(reads_back(*kept, 7));
    CHECK(kept->runs(1, 7)[0].values == kept->runs(1, 7)[0].keys);
  }
}

TEST_CASE("blocks of latent rows are copied, saved and restored") {
  PagedKvStore store(latent_shape(), 4, 3);
  const std::vector<BlockId> table{BlockId{2}, BlockId{0}}, elsewhere{BlockId{1}, BlockId{3}};
  PagedKvSequence sequence(store, table, 0);
  write_all(sequence, 6);
  const std::vector<std::byte> saved = store.save(table);
  CHECK(saved.size() == 2 * store.block_bytes());
  store.restore(elsewhere, saved);
  CHECK(reads_back(PagedKvSequence(store, elsewhere, 6), 6));
  store.copy(BlockId{2}, BlockId{0}, 1);
  CHECK(store.block(1, BlockId{0}).keys[4] == mark(1, 0, 4, false));
  CHECK(store.block(1, BlockId{0}).keys[5] == mark(1, 4, 0, false));  // the slot behind was not copied
  CHECK_THROWS_AS(store.restore(table, std::vector<std::byte>(saved.size() * 2)), MisuseError);
}

TEST_CASE("a store takes the bytes that the calculator says") {
  const ModelShape shape = GENERATE(tiny_shape(), latent_shape());
  CHECK(PagedKvStore(shape, 5, 3).bytes() == kv_bytes(shape, 15, ElementType::fp32));
  CHECK(PagedKvStore(shape, 5, 3).block_bytes() == kv_bytes(shape, 3, ElementType::fp32));
  CHECK(ContiguousKvCache(shape, 15).bytes() == kv_bytes(shape, 15, ElementType::fp32));
}

TEST_CASE("two sequences whose tables share no block do not disturb each other") {
  PagedKvStore store(tiny_shape(), 4, 2);
  const std::vector<BlockId> one{BlockId{3}, BlockId{1}}, other{BlockId{0}, BlockId{2}};
  PagedKvSequence first(store, one, 0), second(store, other, 0);
  write_all(first, 4);
  for (std::uint32_t layer = 0; layer < 2; ++layer) {
    for (std::uint32_t position = 0; position < 4; ++position) {
      std::fill_n(second.row(layer, position).key, 4, -1.0F);
      std::fill_n(second.row(layer, position).value, 4, -1.0F);
    }
  }
  CHECK(reads_back(first, 4));
}

TEST_CASE("a slot that was never written reads as NaN") {
  PagedKvStore store(tiny_shape(), 1, 2);
  ContiguousKvCache cache(tiny_shape(), 1);
  CHECK(std::isnan(store.block(1, BlockId{0}).values[7]));
  CHECK(std::isnan(cache.runs(1, 1)[0].values[3]));
}

TEST_CASE("a row outside the cache is refused") {
  PagedKvStore store(tiny_shape(), 2, 2);
  const std::vector<BlockId> table{BlockId{1}}, unknown{BlockId{2}};
  PagedKvSequence sequence(store, table, 0);
  ContiguousKvCache cache(tiny_shape(), 2);
  CHECK_THROWS_AS(cache.row(0, 2), MisuseError);
  CHECK_THROWS_AS(cache.row(2, 0), MisuseError);
  CHECK_THROWS_AS(cache.runs(0, 3), MisuseError);
  CHECK_THROWS_AS(cache.advance(3), MisuseError);
  CHECK(cache.num_tokens() == 0);
  CHECK_THROWS_AS(sequence.row(0, 2), MisuseError);
  CHECK_THROWS_AS(sequence.runs(0, 3), MisuseError);
  CHECK_THROWS_AS(store.row(0, BlockId{2}, 0), MisuseError);
  CHECK_THROWS_AS(store.row(0, BlockId{0}, 2), MisuseError);
  CHECK_THROWS_WITH(PagedKvSequence(store, unknown, 0), "there is no block 2: the store has 2");
  CHECK_THROWS_WITH(PagedKvSequence(store, table, 3), "a table of 1 blocks of 2 tokens cannot hold 3 tokens");
}

TEST_CASE("a cache that no machine can hold is refused before memory is taken") {
  ModelShape shape = tiny_shape();
  shape.layers = 4096;
  shape.kv_heads = 4096;
  shape.head_dim = 4096;
  CHECK_THROWS_AS(ContiguousKvCache(shape, 0xFFFFFFFFU), InputError);
  CHECK_THROWS_AS(PagedKvStore(shape, 0xFFFFFFFFU, 0xFFFFFFFFU), InputError);  // more than 2^64 bytes
  CHECK_THROWS_AS(PagedKvStore(tiny_shape(), 0xFFFFFFFFU, 1024), InputError);  // 128 TiB
  CHECK_THROWS_WITH(PagedKvStore(tiny_shape(), 0xFFFFFFFFU, 1024), kvarium_test::contains("choose a smaller one"));
}

TEST_CASE("a pool of no blocks and a block of no tokens are refused") {
  CHECK_THROWS_WITH(PagedKvStore(tiny_shape(), 0, 4), "a cache of 0 blocks: give it at least 1 block");
  CHECK_THROWS_WITH(PagedKvStore(tiny_shape(), 4, 0), "block size 0: a block must hold at least 1 token");
}
