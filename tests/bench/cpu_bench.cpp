// Tokens a second of the CPU reference on seeded models, and how near decoding comes to reading the weights once.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/ids.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/support/seeded_model.h"

namespace {

using namespace kvarium;
using namespace kvarium::cpu;

constexpr std::uint32_t kPrompt = 128;  // tokens in the cache when decoding starts
constexpr std::uint32_t kSteps = 64;
constexpr std::uint32_t kBlockSize = 16;

/// Argument 0: a small model, 0.4 MB. Argument 1: 28 million weights, 111 MB, more than most processors'
/// caches.
std::shared_ptr<const Model> model_of(std::int64_t size) {
  kvarium_test::SeededParams params;
  if (size == 1) {
    params.layers = 8;
    params.query_heads = 8;
    params.kv_heads = 4;
    params.hidden = 512;
    params.ffn_hidden = 1408;
    params.vocab = 4096;
  }
  return kvarium_test::seeded_model(params);
}

std::vector<TokenId> prompt_of(std::uint32_t tokens) {
  std::vector<TokenId> prompt;
  for (std::uint32_t i = 0; i < tokens; ++i) prompt.push_back(TokenId{static_cast<std::int32_t>(i * 7 % 256)});
  return prompt;
}

void report(benchmark::State& state, const Work& work, std::uint64_t tokens) {
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(work.bytes_read), benchmark::Counter::kIsRate);
  state.counters["flops/s"] = benchmark::Counter(static_cast<double>(work.flops), benchmark::Counter::kIsRate);
}

/// 64 tokens, one at a time, after a prompt; the cache is made afresh each round.
void decode(benchmark::State& state) {
  const auto model = model_of(state.range(0));
  const Transformer transformer(*model);
  const bool paged = state.range(1) == 1;
  PagedKvStore store(model->config.shape, (kPrompt + kSteps) / kBlockSize, kBlockSize);
  const std::vector<BlockId> table = scrambled_order(store.num_blocks(), 1);
  Work work;
  std::uint64_t tokens = 0;
  for (auto _ : state) {
    state.PauseTiming();
    ContiguousKvCache contiguous(model->config.shape, kPrompt + kSteps);
    PagedKvSequence sequence(store, table, 0);
    KvSequence& cache = paged ? static_cast<KvSequence&>(sequence) : contiguous;
    Work not_counted;
    transformer.prefill(prompt_of(kPrompt), cache, not_counted);
    state.ResumeTiming();
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      benchmark::DoNotOptimize(transformer.decode_one(TokenId{static_cast<std::int32_t>(step)}, cache, work));
    }
    tokens += kSteps;
  }
  report(state, work, tokens);
}

/// A whole prompt at once.
void prefill(benchmark::State& state) {
  const auto model = model_of(state.range(0));
  const Transformer transformer(*model);
  const std::vector<TokenId> prompt = prompt_of(kPrompt);
  Work work;
  std::uint64_t tokens = 0;
  for (auto _ : state) {
    ContiguousKvCache cache(model->config.shape, kPrompt);
    benchmark::DoNotOptimize(transformer.prefill(prompt, cache, work));
    tokens += kPrompt;
  }
  report(state, work, tokens);
}

BENCHMARK(decode)->ArgNames({"large", "paged"})->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(prefill)->ArgName("large")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
