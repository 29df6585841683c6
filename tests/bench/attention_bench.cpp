// Attention of one layer of a 110M-class model: 12 query heads, 4 KV heads, head 64, cached in blocks of 16 tokens.
// Decode reads K and V of all earlier tokens from memory: 12 layers' rows, more than the caches keep, take turns.

#include <benchmark/benchmark.h>

#include <deque>

#include "cpu_reference/attention/cached.h"
#include "cpu_reference/attention/paged.h"

namespace {

using namespace kvarium;
using namespace kvarium::cpu;

constexpr Heads kHeads{12, 4, 64};
constexpr std::uint32_t kBlockSize = 16;
constexpr std::size_t kLayers = 12;

struct Layer {
  explicit Layer(std::uint32_t tokens)
      : keys(Matrix::Random(tokens, kHeads.kv_heads * kHeads.head_dim)),
        values(Matrix::Random(tokens, kHeads.kv_heads * kHeads.head_dim)) {
    for (std::uint32_t first = 0; first < tokens; first += kBlockSize) {
      runs.push_back({keys.row(first).data(), values.row(first).data(), std::min(kBlockSize, tokens - first)});
    }
  }
  Matrix keys, values;
  std::vector<KvRun> runs;
};

std::deque<Layer> layers_of(std::uint32_t tokens) {
  std::deque<Layer> layers;  // a layer's runs point into it: it must not move
  while (layers.size() < kLayers) layers.emplace_back(tokens);
  return layers;
}

void report(benchmark::State& state, const Work& work) {
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(work.bytes_read), benchmark::Counter::kIsRate);
  state.counters["flops/s"] = benchmark::Counter(static_cast<double>(work.flops), benchmark::Counter::kIsRate);
}

/// Argument 0: tokens in the cache. 1: tokens computed, the last of them. 2: threads.
void paged(benchmark::State& state) {
  const auto tokens = static_cast<std::uint32_t>(state.range(0));
  const auto computed = static_cast<Index>(state.range(1));
  const std::deque<Layer> layers = layers_of(tokens);
  ThreadPool threads(static_cast<std::uint32_t>(state.range(2)));
  const Matrix queries = Matrix::Random(computed, kHeads.query_heads * kHeads.head_dim);
  Matrix out(queries.rows(), queries.cols());
  Work work;
  for (auto _ : state) {
    for (const Layer& layer : layers) {
      attention_paged(queries, tokens - static_cast<std::uint32_t>(computed), layer.runs, kHeads, 0, out, threads,
                      work);
    }
    benchmark::DoNotOptimize(out.data());
  }
  report(state, work);
}

/// The readable two passes, with the same arguments but for the threads.
void cached(benchmark::State& state) {
  const auto tokens = static_cast<std::uint32_t>(state.range(0));
  const auto computed = static_cast<Index>(state.range(1));
  const std::deque<Layer> layers = layers_of(tokens);
  const Matrix queries = Matrix::Random(computed, kHeads.query_heads * kHeads.head_dim);
  Work work;
  for (auto _ : state) {
    for (const Layer& layer : layers) {
      benchmark::DoNotOptimize(
          attention_cached(queries, tokens - static_cast<std::uint32_t>(computed), layer.runs, kHeads, work));
    }
  }
  report(state, work);
}

BENCHMARK(paged)
    ->ArgNames({"cached", "computed", "threads"})
    ->ArgsProduct({{128, 1024, 4096}, {1}, {1, 2}})
    ->ArgsProduct({{256, 1024}, {256}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cached)->ArgNames({"cached", "computed"})->Args({1024, 1})->Args({256, 256})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
