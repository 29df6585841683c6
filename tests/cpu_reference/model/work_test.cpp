// How much a cache saves, counted by the code that does the work. One layer, one query head, a prompt of 8 tokens and 8
// generated tokens.

#include "core/work.h"

#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::largest;
using kvarium_test::random_tokens;

namespace {

std::shared_ptr<const Model> one_layer_one_head() {
  kvarium_test::SeededParams params;
  params.layers = 1;
  params.query_heads = 1;
  params.kv_heads = 1;
  params.hidden = 16;
  params.ffn_hidden = 24;
  params.vocab = 32;
  return kvarium_test::seeded_model(params);
}

}  // namespace

TEST_CASE("without a cache 8 tokens after a prompt of 8 take 92 K/V projections and 596 score products") {
  const auto model = one_layer_one_head();
  std::vector<TokenId> tokens = random_tokens(8, 32, 1);
  Work work;
  while (tokens.size() < 16) tokens.push_back(largest(Transformer(*model).forward_uncached(tokens, work)));
  CHECK(work.kv_projections == 92);   // 8 + 9 + ... + 15
  CHECK(work.score_products == 596);  // the triangle numbers 36 + 45 + ... + 120
}

TEST_CASE("with a cache they take 15 and 120, and the tokens are the same") {
  const auto model = one_layer_one_head();
  const Transformer transformer(*model);
  std::vector<TokenId> uncached = random_tokens(8, 32, 1), cached = uncached;
  Work work, uncached_work;
  while (uncached.size() < 16) uncached.push_back(largest(transformer.forward_uncached(uncached, uncached_work)));

  ContiguousKvCache cache(model->config.shape, 16);
  cached.push_back(largest(transformer.prefill(cached, cache, work)));
  while (cached.size() < 16) cached.push_back(largest(transformer.decode_one(cached.back(), cache, work)));
  CHECK(cached == uncached);
  CHECK(work.kv_projections == 15);   // 8 in the prefill, then 7 steps of 1: the last token is never computed
  CHECK(work.score_products == 120);  // 36 in the prefill, then 9 + 10 + ... + 15
  CHECK(cache.num_tokens() == 15);
}

TEST_CASE("a decode step reads every weight once, one row of the embedding, and the cached rows") {
  const auto model = kvarium_test::seeded_model({});
  const ModelShape& shape = model->config.shape;
  ContiguousKvCache cache(shape, 8);
  const std::vector<TokenId> prompt = random_tokens(5, shape.vocab, 1);
  Work prefill, step;
  const Transformer transformer(*model);
  transformer.prefill(prompt, cache, prefill);
  transformer.decode_one(prompt[0], cache, step);

  const std::uint64_t embedding = std::uint64_t{shape.vocab} * shape.hidden;
  const std::uint64_t weights = num_parameters(model->config) - embedding + shape.hidden;
  const std::uint64_t cached_rows = 6 * 2 * shape.layers * shape.kv_heads * shape.head_dim;
  CHECK(step.bytes_read == 4 * (weights + cached_rows));
  CHECK(step.score_products == 6 * shape.layers * shape.query_heads);
  const std::uint64_t norms = (2 * shape.layers + 1) * shape.hidden;
  const std::uint64_t attention = 4 * 6 * shape.layers * shape.query_heads * shape.head_dim;
  CHECK(step.flops == 2 * (num_parameters(model->config) - embedding - norms) + attention);
}

TEST_CASE("with latent attention a decode step reads every weight and one row a cached token, and unpacks none") {
  ModelConfig config = kvarium_test::small_llama();
  kvarium_test::make_latent(config, 16, 4);
  const Model model = kvarium_test::random_model(config, 1);
  ContiguousKvCache cache(config.shape, 8);
  const std::vector<TokenId> prompt = random_tokens(5, config.shape.vocab, 1);
  Work prefill, step;
  const Transformer transformer(model);
  transformer.prefill(prompt, cache, prefill);
  transformer.decode_one(prompt[0], cache, step);

  const std::uint64_t embedding = std::uint64_t{config.shape.vocab} * config.shape.hidden;
  const std::uint64_t weights = num_parameters(config) - embedding + config.shape.hidden;
  CHECK(step.bytes_read == 4 * (weights + 6 * 2 * (16 + 4)));  // tokens, layers, numbers of a row
  CHECK(step.score_products == 6 * 2 * 4);
  const std::uint64_t norms = (2 * 2 + 1) * config.shape.hidden + 2 * 16;
  const std::uint64_t attention = 2 * 6 * 2 * 4 * (16 + 4 + 16);  // a score and a share of each row, a head
  CHECK(step.flops == 2 * (num_parameters(config) - embedding - norms) + attention);
}
