#include "cpu_reference/model/transformer.h"

#include "core/blocks/block_table.h"
#include "core/error.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::largest;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;

namespace {

kvarium_test::SeededParams odd_sizes(std::uint32_t query_heads, std::uint32_t kv_heads, std::uint32_t head_dim) {
  kvarium_test::SeededParams params;
  params.vocab = 53;
  params.layers = 2;
  params.query_heads = query_heads;
  params.kv_heads = kv_heads;
  params.hidden = query_heads * head_dim;
  params.ffn_hidden = 37;
  params.context = 40;
  return params;
}

/// With the vocabulary and the context of odd_sizes().
std::shared_ptr<const Model> latent_model(std::uint32_t latent_dim, std::uint32_t rotary_key_dim) {
  ModelConfig config = kvarium_test::small_llama();
  kvarium_test::make_latent(config, latent_dim, rotary_key_dim);
  config.latent_value_dim = 5;
  return std::make_shared<const Model>(kvarium_test::random_model(config, 3));
}

/// MHA, GQA, MQA and MLA, at widths that are no multiple of a vector register.
std::shared_ptr<const Model> any_model() {
  const int which = GENERATE(range(0, 7));
  if (which == 5) return latent_model(9, 2);
  if (which == 6) return latent_model(33, 6);
  const kvarium_test::SeededParams sizes[] = {odd_sizes(4, 4, 6), odd_sizes(4, 2, 16), odd_sizes(6, 2, 2),
                                              odd_sizes(5, 1, 10), odd_sizes(1, 1, 2)};
  return kvarium_test::seeded_model(sizes[which]);
}

}  // namespace

TEST_CASE("with a cache or without, token by token or in chunks, the logits are the same") {
  const auto model = any_model();
  CAPTURE(model->config.shape.query_heads, model->config.shape.kv_heads);
  const Transformer transformer(*model);
  const std::uint32_t vocab = model->config.shape.vocab;
  const std::vector<TokenId> tokens = random_tokens(23, vocab, 5);
  Work work;
  const std::vector<float> all = transformer.forward_uncached_all(tokens, work);
  const float tolerance = reordering_tolerance(model->config, all);
  const auto row = [&](std::size_t t) { return std::span(all).subspan(t * vocab, vocab); };

  ContiguousKvCache one_by_one(model->config.shape, 23), chunks(model->config.shape, 23);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    CHECK(difference(transformer.decode_one(tokens[t], one_by_one, work), row(t)) <= tolerance);
    CHECK(difference(transformer.forward_uncached(std::span(tokens).first(t + 1), work), row(t)) <= tolerance);
  }
  std::size_t first = 0;
  for (const std::size_t count : {7U, 1U, 10U, 5U}) {
    const auto logits = transformer.prefill(std::span(tokens).subspan(first, count), chunks, work);
    first += count;
    CHECK(difference(logits, row(first - 1)) <= tolerance);
  }
  CHECK(chunks.num_tokens() == 23);
}

TEST_CASE("through a block table the tokens are those of the contiguous cache, bit for bit, wherever the blocks lie") {
  const auto model = any_model();
  const std::uint32_t block_size = GENERATE(1U, 3U, 4U, 16U);
  CAPTURE(model->config.shape.query_heads, model->config.shape.kv_heads, block_size);
  const Transformer transformer(*model);
  const std::vector<TokenId> prompt = random_tokens(9, model->config.shape.vocab, 6);

  NullSink sink;
  BlockPool pool(block_size, scrambled_order(40, 3), sink);
  BlockTable table(pool, RequestId{0});
  PagedKvStore store(model->config.shape, 40, block_size);
  ContiguousKvCache contiguous(model->config.shape, 40);
  Work contiguous_work, paged_work;

  std::vector<TokenId> next = prompt;
  for (int step = 0; step < 12; ++step) {
    REQUIRE(table.append(static_cast<std::uint32_t>(next.size())));
    PagedKvSequence paged(store, table.blocks(), contiguous.num_tokens());
    const auto logits = transformer.prefill(next, contiguous, contiguous_work);
    CHECK(transformer.prefill(next, paged, paged_work) == logits);  // the same sums in the same order: no tolerance
    next = {largest(logits)};
  }
  CHECK(paged_work == contiguous_work);
  table.release();
}

TEST_CASE("the tolerance is small enough to see one wrong row in the cache") {
  const auto model = kvarium_test::seeded_model({});
  const Transformer transformer(*model);
  const std::vector<TokenId> tokens = random_tokens(12, 256, 2);
  Work work;
  ContiguousKvCache cache(model->config.shape, 12);
  transformer.prefill(std::span(tokens).first(11), cache, work);
  std::swap_ranges(cache.row(0, 3).value, cache.row(0, 3).value + cache.row_width(), cache.row(0, 4).value);
  const std::vector<float> expected = transformer.forward_uncached(tokens, work);
  const float tolerance = reordering_tolerance(model->config, expected);
  CHECK(difference(transformer.decode_one(tokens[11], cache, work), expected) > 10 * tolerance);
}

TEST_CASE("the tolerance sees one wrong latent row too, and a latent that was cached without its norm") {
  const auto model = latent_model(9, 2);
  const Transformer transformer(*model);
  const std::vector<TokenId> tokens = random_tokens(12, 53, 2);
  Work work;
  const std::vector<float> expected = transformer.forward_uncached(tokens, work);
  const float tolerance = reordering_tolerance(model->config, expected);
  for (const bool swapped : {true, false}) {
    ContiguousKvCache cache(model->config.shape, 12);
    transformer.prefill(std::span(tokens).first(11), cache, work);
    float* const row = cache.row(0, 3).key;
    if (swapped) {
      std::swap_ranges(row, row + 9, cache.row(0, 4).key);  // the latents, not the rotated keys
    } else {
      for (Index i = 0; i < 9; ++i) row[i] /= model->weights.layers[0].latent_norm(i);
    }
    CHECK(difference(transformer.decode_one(tokens[11], cache, work), expected) > 10 * tolerance);
  }
}

TEST_CASE("a cache of heads is refused by a model with a latent row, also where the rows are as wide") {
  const auto model = latent_model(10, 2);
  ModelShape heads = model->config.shape;
  heads.kv_kind = KvKind::heads;
  heads.kv_heads = 2;
  heads.head_dim = 6;
  ContiguousKvCache cache(heads, 4);
  Work work;
  CHECK_THROWS_WITH(Transformer(*model).prefill(random_tokens(3, 53, 1), cache, work),
                    "the cache has 2 layers of rows of 12 and 12, the model 2 of 12 and 0");
}

TEST_CASE("a model of one pair convention is a model of the other with the rows of its queries and keys permuted") {
  const auto model = kvarium_test::seeded_model({});
  Model halves(model->config, "test");
  halves.config.rope_pairs = RopePairs::halves;
  Weights& weights = halves.weights;
  weights.embedding = model->weights.embedding;
  weights.final_norm = model->weights.final_norm;
  weights.head = model->weights.head;
  const Index dim = model->config.shape.head_dim;
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    const LayerWeights& from = model->weights.layers[l];
    LayerWeights& to = weights.layers[l];
    to.attention_norm = from.attention_norm;
    to.ffn_norm = from.ffn_norm;
    to.value = from.value;
    to.output = from.output;
    to.gate = from.gate;
    to.up = from.up;
    to.down = from.down;
    const auto permute = [dim](const WeightMatrix& source, const WeightMatrix& target) {
      for (Index row = 0; row < source.rows; ++row) {
        const Index in_head = row % dim;
        writable_f32(target).row(row / dim * dim + in_head / 2 + (in_head % 2) * (dim / 2)) = source.f32().row(row);
      }
    };
    permute(from.query, to.query);
    permute(from.key, to.key);
  }
  const std::vector<TokenId> tokens = random_tokens(10, 256, 4);
  Work work;
  const std::vector<float> expected = Transformer(*model).forward_uncached(tokens, work);
  CHECK(difference(Transformer(halves).forward_uncached(tokens, work), expected) <=
        reordering_tolerance(model->config, expected));
}

TEST_CASE("tokens that cannot run are refused and the cache stays as it was") {
  const auto model = kvarium_test::seeded_model(odd_sizes(4, 2, 2));
  const Transformer transformer(*model);
  ContiguousKvCache cache(model->config.shape, 4), of_another_model(kvarium_test::seeded_model({})->config.shape, 4);
  Work work;
  const std::vector<TokenId> three = random_tokens(3, 53, 1);
  transformer.prefill(three, cache, work);
  const Work before = work;
  const auto refuse = [&](std::span<const TokenId> tokens, const char* reason) {
    CHECK_THROWS_WITH(transformer.prefill(tokens, cache, work), reason);
    CHECK(cache.num_tokens() == 3);
    CHECK(work == before);
  };
  refuse({}, "the transformer was given no tokens");
  refuse(std::vector{TokenId{-1}}, "token -1 is outside a vocabulary of 53");
  refuse(std::vector{TokenId{53}}, "token 53 is outside a vocabulary of 53");
  refuse(std::vector{TokenId{0}, TokenId{1}}, "2 tokens do not fit behind the 3 in a cache of 4");
  CHECK_THROWS_WITH(transformer.prefill(three, of_another_model, work),
                    "the cache has 2 layers of rows of 32 and 32, the model 2 of 4 and 4");
  CHECK_THROWS_WITH(transformer.forward_uncached(random_tokens(41, 53, 1), work),
                    "41 tokens from position 0 do not fit in a context of 40");
}

TEST_CASE("weights so large that a logit is no number are reported, not passed on") {
  auto model = Model(kvarium_test::seeded_model({})->config, "test");
  writable_f32(model.weights.embedding).setConstant(1.0F);
  model.weights.final_norm.setConstant(3e38F);
  writable_f32(model.weights.head).setConstant(3e38F);
  Work work;
  ContiguousKvCache cache(model.config.shape, 2);
  CHECK_THROWS_WITH(Transformer(model).prefill(random_tokens(2, 256, 1), cache, work),
                    kvarium_test::contains("not a finite number"));
  CHECK(work == Work{});
  CHECK(cache.num_tokens() == 0);
}
