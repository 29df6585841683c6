// How long the replay of a production trace takes once it is read: Mooncake's synthetic trace, 121,877 blocks
// referenced; nobody listening, recorded, and through the engine. Set KVARIUM_SHARED_DATA to the folder that has
// mooncake_synthetic_trace.jsonl.

#include "core/replay/replay.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "core/eviction/policies.h"
#include "core/replay/engine_replay.h"
#include "core/replay/mooncake_reader.h"
#include "core/replay/recorded_replay.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/trace/trace.h"

namespace kvarium {
namespace {

std::string trace_path() {
  const char* folder = std::getenv("KVARIUM_SHARED_DATA");
  return std::string(folder != nullptr ? folder : "../shared/data") + "/mooncake_synthetic_trace.jsonl";
}

std::optional<RequestTrace> read_trace() {
  std::ifstream in(trace_path(), std::ios::binary);
  if (!in) return std::nullopt;
  return read_mooncake(in, trace_path(), {}, CancelToken());
}

void replay_synthetic(benchmark::State& state, const std::string& policy) {
  const std::optional<RequestTrace> trace = read_trace();
  if (!trace) return state.SkipWithError((trace_path() + " is missing; set KVARIUM_SHARED_DATA").c_str());
  const NamedPolicy& named = find_eviction_policy(policy);
  const auto capacity = static_cast<std::uint64_t>(state.range(0));
  const CancelToken never;
  ReplayResult result;
  for (auto _ : state) result = replay(*trace, *named.make(), capacity, {}, never).value();
  state.counters["hit_blocks"] = static_cast<double>(result.hit_blocks);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace->block_references));
}
BENCHMARK_CAPTURE(replay_synthetic, lru, "lru")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_synthetic, lfu, "lfu")->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_synthetic, length_aware, "length-aware")->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_synthetic, fifo, "fifo")->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_synthetic, prefix_depth, "prefix-depth")->Arg(10'000)->Unit(benchmark::kMillisecond);

/// The same with all events, kept as a trace that can be watched.
void record_synthetic(benchmark::State& state) {
  const std::optional<RequestTrace> trace = read_trace();
  if (!trace) return state.SkipWithError((trace_path() + " is missing; set KVARIUM_SHARED_DATA").c_str());
  const NamedPolicy& named = find_eviction_policy("lru");
  const CancelToken never;
  for (auto _ : state) {
    auto recording = std::make_unique<Trace>();
    const ReplayResult result =
        record_replay(*trace, *named.make(), static_cast<std::uint64_t>(state.range(0)), *recording, {}, never).value();
    state.PauseTiming();
    state.counters["hit_blocks"] = static_cast<double>(result.hit_blocks);
    state.counters["events"] = static_cast<double>(recording->size());
    recording.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace->block_references));
}
BENCHMARK(record_synthetic)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

/// The first requests through the real engine over a cost model, hash cache, 833 blocks: what an H100 has room for.
void serve_synthetic(benchmark::State& state) {
  std::optional<RequestTrace> trace = read_trace();
  if (!trace) return state.SkipWithError((trace_path() + " is missing; set KVARIUM_SHARED_DATA").c_str());
  trace = first_requests(std::move(*trace), static_cast<std::size_t>(state.range(0)));
  EngineConfig config;
  config.block_size = trace->block_size;
  config.hand_out_order = ascending_order(833);
  config.limits = {256, default_server().tokens_per_step};
  config.prefix_cache.kind = PrefixCaching::hash;
  const ContinuousScheduler scheduler({WaitingOrder::first_come, true});
  NullSink nobody;
  EngineReplay run;
  for (auto _ : state) {
    run = replay_with_engine(*trace, config, scheduler, default_server(), nobody, {}, CancelToken()).value();
  }
  state.counters["steps"] = static_cast<double>(run.steps);
  state.counters["simulated_s"] = run.end_ms / 1e3;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace->requests.size()));
}
BENCHMARK(serve_synthetic)->Arg(500)->Unit(benchmark::kMillisecond);

void read_synthetic(benchmark::State& state) {
  for (auto _ : state) {
    const std::optional<RequestTrace> trace = read_trace();
    if (!trace) return state.SkipWithError((trace_path() + " is missing; set KVARIUM_SHARED_DATA").c_str());
    benchmark::DoNotOptimize(trace->block_references);
  }
}
BENCHMARK(read_synthetic)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kvarium

BENCHMARK_MAIN();
