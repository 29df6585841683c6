// The runner over the kernels, by the emulator or a device, beside the CPU reference's.

#include <filesystem>

#include "core/engine.h"
#include "core/scheduling/continuous_scheduler.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/cpu_reference/support.h"
#include "tests/cuda/runner/runner_under_test.h"
#include "tests/support/engine_checks.h"
#include "tests/support/seeded_model.h"
#include "tests/support/shared_data.h"
#include "tests/support/word_tokenizer.h"

using namespace kvarium;
using kvarium::cpu::CpuRunner;
using kvarium::cuda::NumberType;
using kvarium_test::difference;
using kvarium_test::make_runner;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;

namespace {

/// Small, because an emulated pass takes a second for each million multiplications.
std::shared_ptr<const cpu::Model> small_model(std::uint32_t kv_heads = 2, std::uint32_t vocab = 64) {
  kvarium_test::SeededParams params;
  params.vocab = vocab;
  params.query_heads = 2;
  params.kv_heads = kv_heads;
  params.hidden = 32;
  params.ffn_hidden = 40;
  return kvarium_test::seeded_model(params);
}

/// With widths that all differ.
std::shared_ptr<const cpu::Model> latent_model(std::uint32_t vocab = 64) {
  kvarium_test::SeededParams params;
  params.vocab = vocab;
  params.query_heads = params.kv_heads = 3;
  params.hidden = 36;
  params.ffn_hidden = 40;
  params.latent_dim = 20;
  params.rotary_key_dim = 8;
  params.value_dim = 16;
  return kvarium_test::seeded_model(params);
}

/// The logits of two sequences at different points of their blocks: a prompt in two chunks, and a whole one.
std::vector<float> logits_of_batches(ModelRunner& runner, std::uint32_t vocab) {
  runner.create_cache(6, 4);
  const std::vector<TokenId> a = random_tokens(9, vocab, 1), b = random_tokens(6, vocab, 2);
  const std::vector<BlockId> table_a{BlockId{5}, BlockId{0}, BlockId{3}}, table_b{BlockId{1}, BlockId{4}};
  std::vector<float> all =
      runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, std::span(a).first(7), 0, table_a}}).logits;
  const std::vector<float> second =
      runner
          .forward(std::vector<ScheduledSequence>{{RequestId{0}, std::span(a).subspan(7), 7, table_a},
                                                  {RequestId{1}, b, 0, table_b, 3}})
          .logits;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

float largest_size(const std::vector<float>& logits) {
  float most = 0;
  for (const float logit : logits) most = std::max(most, std::abs(logit));
  return most;
}

/// A number that one kernel leaves for the next is rounded to T, by half of its last place at most. On the way to a
/// logit that happens 12 times a layer (norm, projection, rotation, attention, sum; norm, gate, up, product, sum, and
/// the weights of both), with latent attention 18 (its norm, absorbed query and unpacked sum, and the weights of
/// these), and 4 times behind; norms keep the size of the numbers. The errors have random signs, so that this bound is
/// never reached.
float rounding_tolerance(const cpu::ModelConfig& config, float half_place, const std::vector<float>& logits) {
  const std::uint32_t of_layer = config.latent() ? 18 : 12;
  return static_cast<float>(of_layer * config.shape.layers + 4) * half_place * largest_size(logits);
}

/// What an engine over `runner` answers to these prompts, greedily; every step is checked.
std::vector<std::vector<TokenId>> answers(ModelRunner& runner, const TokenText& text, EngineConfig config,
                                          const std::vector<std::vector<TokenId>>& prompts, std::uint32_t new_tokens) {
  const ContinuousScheduler scheduler;
  VectorSink sink;
  Engine engine(std::move(config), runner, scheduler, text, sink);
  kvarium_test::WorldCheck check;
  for (const std::vector<TokenId>& prompt : prompts) {
    engine.submit({.prompt = prompt, .max_new_tokens = new_tokens});
  }
  while (engine.step()) check(sink, engine);
  std::vector<std::vector<TokenId>> all;
  for (std::uint32_t i = 0; i < prompts.size(); ++i) {
    const auto generated = engine.request(RequestId{i}).generated();
    all.emplace_back(generated.begin(), generated.end());
  }
  return all;
}

void check_same_tokens(const std::shared_ptr<const cpu::Model>& model, const TokenText& text,
                       const std::vector<std::vector<TokenId>>& prompts, std::uint32_t new_tokens,
                       const EngineConfig& config) {
  CpuRunner reference(model);
  const std::unique_ptr<ModelRunner> kernels = make_runner(*model, NumberType::f32);
  CHECK(answers(*kernels, text, config, prompts, new_tokens) == answers(reference, text, config, prompts, new_tokens));
}

EngineConfig small_pool(std::uint32_t blocks, PrefixCaching cache, Preemption preemption) {
  EngineConfig config;
  config.block_size = 4;
  config.hand_out_order = scrambled_order(blocks, 7);
  config.prefix_cache.kind = cache;
  config.preemption = preemption;
  return config;
}

}  // namespace

TEST_CASE("kernels in F32 and the CPU reference compute the same logits, in batches and in chunks") {
  for (const auto& model : {small_model(1), small_model(2), latent_model()}) {
    INFO(model->config.shape.name);
    CpuRunner reference(model);
    const std::vector<float> wanted = logits_of_batches(reference, 64);
    const auto kernels = make_runner(*model, NumberType::f32);
    CHECK(difference(logits_of_batches(*kernels, 64), wanted) <= reordering_tolerance(model->config, wanted));
  }
}

TEST_CASE("a token that sees enough keys for two parts gets the logits of the CPU reference") {
  kvarium_test::SeededParams params;
  params.vocab = 16;
  params.layers = params.query_heads = params.kv_heads = 1;
  params.hidden = params.ffn_hidden = 16;
  params.context = 600;
  params.latent_dim = GENERATE(0U, 8U);
  params.rotary_key_dim = params.value_dim = 4;
  const auto model = kvarium_test::seeded_model(params);
  const std::vector<TokenId> tokens = random_tokens(65, 16, 1);
  std::vector<BlockId> table;
  for (std::uint32_t i = 0; i < 17; ++i) table.push_back(BlockId{16 - i});
  const auto last_logits = [&](ModelRunner& runner) {
    runner.create_cache(17, 32);
    runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, std::span(tokens).first(64), 0, table}});
    std::vector<BlockCopy> copies;  // the 64 tokens again and again: a pass over all would take long
    for (std::size_t i = 2; i < 17; ++i) copies.push_back({table[i % 2], table[i], 32});
    runner.copy(copies);
    return runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, std::span(tokens).last(1), 519, table}}).logits;
  };
  CpuRunner reference(model);
  const std::vector<float> wanted = last_logits(reference);
  const auto kernels = make_runner(*model, NumberType::f32);
  CHECK(difference(last_logits(*kernels), wanted) <= reordering_tolerance(model->config, wanted));
}

TEST_CASE("kernels in F16 and BF16 compute the same logits up to the rounding of what they keep") {
  for (const auto& model : {small_model(), latent_model()}) {
    INFO(model->config.shape.name);
    CpuRunner reference(model);
    const std::vector<float> wanted = logits_of_batches(reference, 64);
    const auto half = make_runner(*model, NumberType::f16);
    CHECK(difference(logits_of_batches(*half, 64), wanted) <= rounding_tolerance(model->config, 0x1p-11F, wanted));
    const auto brain = make_runner(*model, NumberType::bf16);
    CHECK(difference(logits_of_batches(*brain, 64), wanted) <= rounding_tolerance(model->config, 0x1p-8F, wanted));
  }
}

TEST_CASE("an engine over the kernels says what it says over the CPU reference, with every prefix cache") {
  const auto tokenizer = kvarium_test::word_tokenizer();
  const auto model = small_model(1, static_cast<std::uint32_t>(tokenizer->vocab()));
  std::vector<std::vector<TokenId>> prompts;
  for (const char* text : {"Once upon a time", "Once upon a time there", "Once upon a time there was"}) {
    prompts.push_back(tokenizer->encode(text));
  }
  check_same_tokens(model, *tokenizer, prompts, 6, small_pool(9, PrefixCaching::off, Preemption::swap));
  check_same_tokens(model, *tokenizer, prompts, 6, small_pool(9, PrefixCaching::hash, Preemption::recompute));
  check_same_tokens(model, *tokenizer, prompts, 6, small_pool(9, PrefixCaching::radix, Preemption::recompute));
  const auto latent = latent_model(static_cast<std::uint32_t>(tokenizer->vocab()));
  check_same_tokens(latent, *tokenizer, prompts, 4, small_pool(9, PrefixCaching::hash, Preemption::swap));
}

TEST_CASE("the shipped models say over the kernels what they say over the CPU reference") {
  for (const std::string_view name : cpu::shipped_model_names()) {
    const cpu::OpenedModel& opened = cpu::shipped_model(name);
    INFO(name);
    check_same_tokens(opened.model, *opened.tokenizer, {opened.tokenizer->encode("Lily had")}, 3,
                      small_pool(8, PrefixCaching::off, Preemption::recompute));
  }
}

TEST_CASE("stories260K has over the kernels the logits that it has over the CPU reference") {
  const std::filesystem::path file = kvarium_test::shared_data_folder() / "stories260K.bin";
  if (!std::filesystem::exists(file)) {
    WARN("SKIPPED: " << file.string() << " is missing; set KVARIUM_SHARED_DATA to its folder");
    return;
  }
  const std::shared_ptr<const cpu::Model> model = cpu::load_llama2c(file.string());
  CpuRunner reference(model);
  const auto kernels = make_runner(*model, NumberType::f32);
  const std::vector<float> wanted = logits_of_batches(reference, 512);
  CHECK(difference(logits_of_batches(*kernels, 512), wanted) <= reordering_tolerance(model->config, wanted));
}

TEST_CASE("a tree of drafts beside a chain gets the logits of the CPU reference, and again when its path was moved") {
  const auto model = small_model();
  const std::uint32_t vocab = model->config.shape.vocab;
  const std::vector<TokenId> past = random_tokens(5, vocab, 1), nodes = random_tokens(6, vocab, 2);
  const std::vector<std::uint32_t> parents{0, 0, 0, 1, 2, 4};
  const std::vector<BlockId> table{BlockId{3}, BlockId{0}, BlockId{2}}, other{BlockId{1}, BlockId{4}};
  const auto logits = [&](ModelRunner& runner) {
    runner.create_cache(5, 4);
    runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, past, 0, table}});
    std::vector<float> all =
        runner
            .forward(std::vector<ScheduledSequence>{{RequestId{0}, nodes, 5, table, 6, false, parents},
                                                    {RequestId{1}, past, 0, other, 5}})
            .logits;
    // The path 2, 4, 5 comes to positions 6, 7 and 8: slots 2 and 3 of block 0 and slot 0 of block 2.
    runner.move(std::vector<SlotMove>{{Slot{3}, Slot{2}}, {Slot{9}, Slot{3}}, {Slot{10}, Slot{8}}});
    const std::vector<float> next =
        runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, std::span(past).first(1), 9, table}}).logits;
    all.insert(all.end(), next.begin(), next.end());
    return all;
  };
  CpuRunner reference(model, 1);
  const auto kernels = make_runner(*model, NumberType::f32);
  const std::vector<float> wanted = logits(reference);
  CHECK(difference(logits(*kernels), wanted) <= reordering_tolerance(model->config, wanted));
}

TEST_CASE("a tree of more drafts than the kernels have bits for is refused in a line") {
  const auto runner = make_runner(*small_model(), NumberType::f32);
  runner->create_cache(20, 4);
  const std::vector<TokenId> tokens = random_tokens(65, 64, 1);
  const std::vector<std::uint32_t> parents(65, 0);
  CHECK_THROWS_WITH(runner->forward(std::vector<ScheduledSequence>{
                        {RequestId{0}, tokens, 0, ascending_order(20), 1, false, parents}}),
                    "a tree of 64 drafts: the kernels verify at most 63, make the draft length smaller");
}

TEST_CASE("blocks that were saved come back, and a copied block holds what the first one does") {
  const auto model = GENERATE(small_model(), latent_model());
  const auto runner = make_runner(*model, NumberType::bf16);
  runner->create_cache(4, 4);
  const std::vector<TokenId> tokens = random_tokens(8, 64, 1);
  const std::vector<BlockId> first{BlockId{2}, BlockId{0}}, second{BlockId{1}, BlockId{3}};
  runner->forward(std::vector<ScheduledSequence>{{RequestId{0}, tokens, 0, first}});
  const std::vector<std::byte> saved = runner->save(first);
  CHECK(saved.size() == runner->saved_bytes(2));
  const kvarium::ModelShape& shape = model->config.shape;
  CHECK(saved.size() == (key_row_width(shape) + value_row_width(shape)) * shape.layers * 8 * sizeof(std::uint16_t));
  runner->copy(std::vector<BlockCopy>{{BlockId{2}, BlockId{1}, 4}, {BlockId{0}, BlockId{3}, 4}});
  CHECK(runner->save(second) == saved);
  runner->forward(std::vector<ScheduledSequence>{{RequestId{1}, random_tokens(8, 64, 2), 0, first}});
  CHECK(runner->save(first) != saved);
  runner->restore(first, saved);
  CHECK(runner->save(first) == saved);
}

TEST_CASE("a pass that cannot be is refused before anything is computed") {
  const auto model = small_model();
  const auto runner = make_runner(*model, NumberType::f32);
  const std::vector<TokenId> tokens = random_tokens(4, 64, 1), outside{TokenId{64}};
  const std::vector<BlockId> table{BlockId{0}}, unknown{BlockId{3}};
  const auto refuse = [&](const ScheduledSequence& bad) {
    CHECK_THROWS_AS(runner->forward(std::vector{bad}), MisuseError);
  };
  refuse({RequestId{0}, tokens, 0, table});  // no cache yet
  runner->create_cache(2, 4);
  CHECK_THROWS_AS(runner->create_cache(2, 4), MisuseError);
  CHECK_THROWS_AS(runner->forward({}), MisuseError);
  refuse({RequestId{0}, {}, 4, table});
  refuse({RequestId{0}, outside, 0, table});
  refuse({RequestId{0}, tokens, 1, table});
  refuse({RequestId{0}, tokens, 0, unknown});
  refuse({RequestId{0}, tokens, 0, {}});
  refuse({RequestId{0}, tokens, 0, table, 0});
  refuse({RequestId{0}, tokens, 0, table, 5});
  CHECK_THROWS_AS(runner->save(unknown), MisuseError);
  CHECK_THROWS_AS(runner->restore(table, {}), MisuseError);
}

TEST_CASE("a model whose heads or latent rows no kernel takes is refused by their width") {
  kvarium_test::SeededParams params;
  params.query_heads = params.kv_heads = 2;
  params.hidden = 96;
  CHECK_THROWS_WITH(make_runner(*kvarium_test::seeded_model(params), NumberType::f32),
                    kvarium_test::contains("not of 48"));
  kvarium_test::SeededParams latent;
  latent.query_heads = latent.kv_heads = 2;
  latent.latent_dim = 9;
  latent.rotary_key_dim = 4;
  CHECK_THROWS_WITH(make_runner(*kvarium_test::seeded_model(latent), NumberType::f32),
                    kvarium_test::contains("both even, not of 13 and 9"));
}

TEST_CASE("a pass over latent rows does the work that the CPU reference counts") {
  const auto model = latent_model();
  const std::vector<TokenId> tokens = random_tokens(5, 64, 1);
  const std::vector<BlockId> table{BlockId{0}, BlockId{1}};
  const auto work_of = [&](ModelRunner& runner) {
    runner.create_cache(2, 4);
    return runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, tokens, 0, table}}).work.front();
  };
  CpuRunner reference(model);
  const Work wanted = work_of(reference);
  const auto kernels = make_runner(*model, NumberType::f32);
  const Work got = work_of(*kernels);
  CHECK(got.flops == wanted.flops);
  CHECK(got.score_products == wanted.score_products);
  CHECK(got.kv_projections == wanted.kv_projections);
}
