// Every family, out of every format, computes the logits that transformers computes.

#include "core/blocks/block_table.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "tests/cpu_reference/loaders/golden_models.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::GoldenModel;

namespace {

std::string any_golden() {
  return GENERATE(as<std::string>{}, "llama", "llama_bf16_shards", "mistral_f16", "qwen2", "qwen3", "gpt2",
                  "deepseek_v2_f16", "llama_types.gguf", "llama_freqs.gguf", "qwen2.gguf", "qwen3.gguf");
}

/// The golden logits were computed in float64 and rounded once. Ours add the same products in float32, once, so half of
/// what two orders of adding may differ by; the rotary angles of transformers are float32 too: at position p they are
/// off by up to p half units in the last place, which turns a pair of numbers by as much of a radian. With p below 64
/// both together stay within the whole bound.
float tolerance(const GoldenModel& golden) {
  return kvarium_test::reordering_tolerance(golden.loaded.model->config, golden.logits);
}

}  // namespace

TEST_CASE("without a cache the logits of every family are those of transformers") {
  const std::string name = any_golden();
  const GoldenModel golden = kvarium_test::load_golden_model(name);
  Work work;
  const auto logits = Transformer(*golden.loaded.model).forward_uncached_all(golden.tokens, work);
  INFO(name << ": the largest difference is " << difference(logits, golden.logits) << " of " << tolerance(golden));
  CHECK(difference(logits, golden.logits) <= tolerance(golden));
}

TEST_CASE("with a contiguous cache, in two chunks and then token for token, they are the same") {
  const std::string name = any_golden();
  const GoldenModel golden = kvarium_test::load_golden_model(name);
  CAPTURE(name);
  const Transformer transformer(*golden.loaded.model);
  ContiguousKvCache cache(golden.loaded.model->config.shape, 64);
  Work work;
  const std::span<const TokenId> tokens(golden.tokens);
  CHECK(difference(transformer.prefill(tokens.first(7), cache, work), golden.row(6)) <= tolerance(golden));
  CHECK(difference(transformer.prefill(tokens.subspan(7, 4), cache, work), golden.row(10)) <= tolerance(golden));
  for (std::size_t t = 11; t < tokens.size(); ++t) {
    CAPTURE(t);
    REQUIRE(difference(transformer.decode_one(tokens[t], cache, work), golden.row(t)) <= tolerance(golden));
  }
}

TEST_CASE("through scrambled blocks of 4 they are the same") {
  const std::string name = any_golden();
  const GoldenModel golden = kvarium_test::load_golden_model(name);
  CAPTURE(name);
  const Transformer transformer(*golden.loaded.model);
  NullSink sink;
  BlockPool pool(4, scrambled_order(16, 11), sink);
  BlockTable table(pool, RequestId{0});
  PagedKvStore store(golden.loaded.model->config.shape, 16, 4);
  Work work;
  const auto run = [&](std::span<const TokenId> step) {
    const std::uint32_t computed = table.num_tokens();
    REQUIRE(table.append(static_cast<std::uint32_t>(step.size())));
    PagedKvSequence sequence(store, table.blocks(), computed);
    return transformer.prefill(step, sequence, work);
  };
  const std::span<const TokenId> tokens(golden.tokens);
  CHECK(difference(run(tokens.first(11)), golden.row(10)) <= tolerance(golden));
  for (std::size_t t = 11; t < tokens.size(); ++t) {
    CAPTURE(t);
    REQUIRE(difference(run(tokens.subspan(t, 1)), golden.row(t)) <= tolerance(golden));
  }
  table.release();
}
