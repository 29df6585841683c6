// How fast events are appended, folded and sought: a run of requests with prompts of up to 2,000 tokens on a pool of
// 17,400 blocks of 16 tokens (80 GB of HBM for an 8B model), 1,000,000 events.

#include <benchmark/benchmark.h>

#include <ctime>
#include <random>
#include <sstream>

#include "core/trace/describe.h"
#include "core/trace/event_json.h"
#include "core/trace/invariants.h"
#include "core/trace/player.h"
#include "core/trace/timeline.h"
#include "core/trace/trace.h"
#include "core/trace/trace_io.h"
#include "tests/support/serving_run.h"

namespace {

using namespace kvarium;

constexpr std::size_t kEvents = 1'000'000;

/// The events of the run; more than half of the pool is held most of the time, and requests are preempted.
const std::vector<Event>& events() {
  static const std::vector<Event> kAll = [] {
    const kvarium_test::ServingShape shape{.num_blocks = 17400,
                                           .block_size = 16,
                                           .max_running = 200,
                                           .longest_prompt = 2000,
                                           .longest_answer = 1000,
                                           .chunk = 512,
                                           .most_arrivals = 4,
                                           .mishaps = true};
    VectorSink sink;
    sink.events.reserve(kEvents + 10'000);
    kvarium_test::ServingRun run(shape, 7, sink);
    while (sink.events.size() < kEvents) run.step();
    sink.events.resize(kEvents);
    return sink.events;
  }();
  return kAll;
}

const Trace& trace() {
  static const std::unique_ptr<Trace> kWhole = [] {
    auto filled = std::make_unique<Trace>();
    for (const Event& event : events()) filled->emit(event);
    return filled;
  }();
  return *kWhole;
}

void count_events(benchmark::State& state, std::size_t events_an_iteration) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * events_an_iteration));
}

/// Copies of the events are handed over, as an engine would make them; making the copies is not measured.
void append(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Event> handed = events();
    auto filled = std::make_unique<Trace>();
    state.ResumeTiming();
    for (Event& event : handed) filled->emit(std::move(event));
    state.PauseTiming();
    state.counters["checkpoints"] = static_cast<double>(filled->num_checkpoints());
    filled.reset();
    handed = {};
    state.ResumeTiming();
  }
  count_events(state, kEvents);
}
BENCHMARK(append)->Unit(benchmark::kMillisecond);

void fold_all(benchmark::State& state) {
  for (auto _ : state) {
    World world;
    for (const Event& event : events()) fold(world, event);
    benchmark::DoNotOptimize(world);
  }
  count_events(state, kEvents);
}
BENCHMARK(fold_all)->Unit(benchmark::kMillisecond);

/// Places all over the trace, each from a world of another place; the worst of them is what a person may wait. In
/// processor time, so that other programs of the machine do not count.
void seek_anywhere(benchmark::State& state) {
  const Trace& whole = trace();
  std::mt19937_64 random(7);
  World world;
  double worst = 0;
  for (auto _ : state) {
    const std::clock_t start = std::clock();
    whole.seek(world, random() % (kEvents + 1));
    worst = std::max(worst, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  state.counters["worst_ms"] = worst;
}
BENCHMARK(seek_anywhere)->Unit(benchmark::kMillisecond)->Iterations(1000);

void step_back(benchmark::State& state) {
  Player player(trace());
  player.to_end();
  for (auto _ : state) player.back(Granularity::step);
}
BENCHMARK(step_back)->Unit(benchmark::kMillisecond)->Iterations(1000);

void step_forward(benchmark::State& state) {
  Player player(trace());
  for (auto _ : state) player.forward(Granularity::step);
}
BENCHMARK(step_forward)->Unit(benchmark::kMillisecond)->Iterations(1000);

void check_invariants(benchmark::State& state) {
  const World world = trace().world_at(kEvents);
  for (auto _ : state) benchmark::DoNotOptimize(violations(world));
}
BENCHMARK(check_invariants)->Unit(benchmark::kMillisecond);

void find_read_steps(benchmark::State& state) {
  const World world = trace().world_at(kEvents);
  for (auto _ : state) benchmark::DoNotOptimize(read_steps(world));
}
BENCHMARK(find_read_steps)->Unit(benchmark::kMillisecond);

void write_text_twin(benchmark::State& state) {
  const World world = trace().world_at(kEvents);
  for (auto _ : state) benchmark::DoNotOptimize(text_twin(world));
}
BENCHMARK(write_text_twin)->Unit(benchmark::kMillisecond);

void build_timeline(benchmark::State& state) {
  const Trace& whole = trace();
  for (auto _ : state) {
    Timeline timeline;
    timeline.follow(whole);
    benchmark::DoNotOptimize(timeline);
  }
  count_events(state, kEvents);
}
BENCHMARK(build_timeline)->Unit(benchmark::kMillisecond);

void write_lines(benchmark::State& state) {
  for (auto _ : state) {
    for (const Event& event : events()) benchmark::DoNotOptimize(to_json_line(event));
  }
  count_events(state, kEvents);
}
BENCHMARK(write_lines)->Unit(benchmark::kMillisecond);

void read_lines(benchmark::State& state) {
  std::string text = "{\"kvarium_trace\":3}\n";
  for (const Event& event : events()) text += to_json_line(event) + "\n";
  for (auto _ : state) {
    std::istringstream in(text);
    benchmark::DoNotOptimize(read_trace(in, "bench"));
  }
  count_events(state, kEvents);
}
BENCHMARK(read_lines)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
