// Sharing with a real transformer: blocks that are forked, copied, found again or swapped give the tokens that a run
// gives in which everybody computes everything alone.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "core/beam/beam_search.h"
#include "core/engine.h"
#include "core/scheduling/continuous_scheduler.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/catch.h"
#include "tests/support/engine_checks.h"
#include "tests/support/seeded_model.h"
#include "tests/support/word_tokenizer.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;
using kvarium_test::WorldCheck;

namespace {

struct Served {
  std::vector<std::vector<TokenId>> answers;  // of each request and fork, in their order
  World world;
};

/// The built-in model, whose heads have K and V.
std::shared_ptr<const Model> model_of_heads() {
  kvarium_test::SeededParams params;
  params.vocab = static_cast<std::uint32_t>(kvarium_test::word_tokenizer()->vocab());
  return kvarium_test::seeded_model(params);
}

/// Random weights over a latent row.
std::shared_ptr<const Model> model_of_latents() {
  ModelConfig config = kvarium_test::small_llama();
  config.shape.vocab = static_cast<std::uint32_t>(kvarium_test::word_tokenizer()->vocab());
  kvarium_test::make_latent(config, 10, 4);
  return std::make_shared<const Model>(kvarium_test::random_model(config, 1));
}

/// Serves the prompts one after another, or all at once, four answers to each with seeds 0 to 3.
Served serve(const std::shared_ptr<const Model>& model, const std::vector<std::vector<TokenId>>& prompts,
             std::uint32_t num_blocks, bool at_once, bool forked, const std::function<void(EngineConfig&)>& change) {
  const auto tokenizer = kvarium_test::word_tokenizer();
  CpuRunner runner(model);
  const ContinuousScheduler scheduler({.chunked_prefill = true});
  VectorSink sink;
  EngineConfig config;
  config.block_size = 4;
  config.hand_out_order = scrambled_order(num_blocks, 3);
  config.limits = {.max_running = 8, .token_budget = 24};
  change(config);
  Engine engine(config, runner, scheduler, *tokenizer, sink);
  WorldCheck check;
  std::vector<RequestId> ids;
  const auto run = [&] {
    while (engine.step()) check(sink, engine);
  };
  for (const std::vector<TokenId>& prompt : prompts) {
    RequestSpec spec{.prompt = prompt, .max_new_tokens = 9, .sampling = {.temperature = 1.5F}};
    spec.candidates = forked ? 4 : 1;
    for (std::uint64_t seed = 0; seed < (forked ? 1 : 4); ++seed) {
      spec.sampling.seed = seed;
      ids.push_back(engine.submit(spec));
    }
    if (!at_once) run();
  }
  run();
  Served served;
  for (const RequestId id : ids) {
    std::vector<RequestId> family{id};
    for (const RequestId fork : engine.request(id).forks) family.push_back(fork);
    for (const RequestId member : family) {
      const auto generated = engine.request(member).generated();
      served.answers.emplace_back(generated.begin(), generated.end());
    }
  }
  served.world = check.world();
  return served;
}

std::vector<std::vector<TokenId>> prompts_with_a_common_beginning() {
  const std::vector<TokenId> common = random_tokens(13, 200, 1);
  std::vector<std::vector<TokenId>> prompts;
  for (unsigned i = 0; i < 3; ++i) {
    prompts.push_back(common);
    for (const TokenId token : random_tokens(3 + i, 200, 10 + i)) prompts.back().push_back(token);
  }
  prompts.push_back(prompts.front());
  return prompts;
}

}  // namespace

TEST_CASE("forks, cached prefixes and swapped requests give the tokens of requests that share nothing") {
  const auto prompts = prompts_with_a_common_beginning();
  const auto model = GENERATE(model_of_heads, model_of_latents)();
  const Served alone = serve(model, prompts, 64, false, false, [](EngineConfig&) {});
  const auto kind = GENERATE(values({PrefixCaching::off, PrefixCaching::hash, PrefixCaching::radix}));
  for (const bool at_once : {false, true}) {
    for (const Preemption preemption : {Preemption::recompute, Preemption::swap}) {
      INFO(static_cast<int>(kind) << (at_once ? ", at once" : ", one after another") << ", preemption "
                                  << static_cast<int>(preemption));
      const Served shared = serve(model, prompts, at_once ? 16 : 24, at_once, true, [&](EngineConfig& config) {
        config.prefix_cache.kind = kind;
        config.preemption = preemption;
      });
      CHECK(shared.answers == alone.answers);
      CHECK(shared.world.copies.blocks > 0);
      if (kind != PrefixCaching::off) CHECK(shared.world.prefix.hit_tokens > 0);
    }
  }
}

TEST_CASE("case B177: slots that nobody wrote are NaN, and no answer is") {
  // Every store starts as NaN; a single one of them in a score would make all logits NaN, which the sampler refuses.
  const auto model = GENERATE(model_of_heads, model_of_latents)();
  const Served served = serve(model, prompts_with_a_common_beginning(), 64, true, true, [](EngineConfig&) {});
  for (const auto& answer : served.answers) CHECK(answer.size() == 9);
}

TEST_CASE("case B180: a sequence shorter than its block equals one without a cache") {
  const auto model = kvarium_test::seeded_model({});
  CpuRunner runner(model);
  runner.create_cache(2, 16);
  const std::vector<TokenId> token = random_tokens(1, 256, 4);
  const std::vector<BlockId> table{BlockId{1}};
  const ForwardResult result = runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, token, 0, table}});
  Work work;
  const std::vector<float> expected = Transformer(*model).forward_uncached(token, work);
  CHECK(difference(result.logits, expected) <= reordering_tolerance(model->config, expected));
}

TEST_CASE("case B36: what a copied block holds is what the block holds that it was copied from, byte for byte") {
  const auto model = kvarium_test::seeded_model({});
  PagedKvStore store(model->config.shape, 4, 4);
  Transformer transformer(*model);
  Work work;
  const std::vector<TokenId> tokens = random_tokens(6, 256, 5);
  const std::vector<BlockId> table{BlockId{0}, BlockId{2}};
  PagedKvSequence sequence(store, table, 0);
  transformer.prefill(tokens, sequence, work);
  store.copy(BlockId{2}, BlockId{3}, 2);
  for (std::uint32_t layer = 0; layer < store.layers(); ++layer) {
    const KvRun from = store.block(layer, BlockId{2}), to = store.block(layer, BlockId{3});
    const std::size_t filled = 2 * store.row_width();
    CHECK(std::equal(from.keys, from.keys + filled, to.keys));
    CHECK(std::equal(from.values, from.values + filled, to.values));
    CHECK(std::isnan(to.keys[filled]));  // the slots behind were not copied
  }
  const std::vector<BlockId> saved{BlockId{0}, BlockId{2}}, elsewhere{BlockId{1}, BlockId{3}};
  store.restore(elsewhere, store.save(saved));
  CHECK(std::equal(store.block(1, BlockId{0}).keys, store.block(1, BlockId{0}).keys + 4 * store.row_width(),
                   store.block(1, BlockId{1}).keys));
  CHECK_THROWS_AS(store.restore(saved, std::vector<std::byte>(7)), MisuseError);
  CHECK_THROWS_AS(store.copy(BlockId{0}, BlockId{9}, 1), MisuseError);
  CHECK_THROWS_AS(store.copy(BlockId{0}, BlockId{1}, 5), MisuseError);
}

TEST_CASE("beam search over a real model: the score of each answer is the sum that the uncached model gives") {
  const auto tokenizer = kvarium_test::word_tokenizer();
  kvarium_test::SeededParams params;
  params.vocab = static_cast<std::uint32_t>(tokenizer->vocab());
  const auto model = kvarium_test::seeded_model(params);
  CpuRunner runner(model);
  NullSink sink;
  BlockPool pool(4, ascending_order(64), sink);
  const std::vector<TokenId> prompt = random_tokens(6, 200, 6);
  BeamSearch search(prompt, {.width = 4, .max_new_tokens = 8}, runner, pool, *tokenizer, sink);
  while (search.step()) {
  }
  const Transformer transformer(*model);
  REQUIRE(search.answers().size() == 4);
  for (const BeamAnswer& answer : search.answers()) {
    std::vector<TokenId> tokens = prompt;
    double sum = 0, allowed = 0;
    for (const TokenId token : answer.tokens) {
      Work work;
      const std::vector<float> logits = transformer.forward_uncached(tokens, work);
      sum += log_probabilities(logits)[index(token)];
      // A logit may be off by the tolerance, and so may the log of the sum of all: twice that in each step.
      allowed += 2 * static_cast<double>(reordering_tolerance(model->config, logits));
      tokens.push_back(token);
    }
    CHECK(std::abs(answer.log_probability - sum) <= allowed);
    CHECK(answer.score == beam_score(answer.log_probability, answer.tokens.size(), 1.0));
  }
}
