// What a frame of the window costs the processor: everything up to the draw lists, no pixels.
//   cmake --preset native && cmake --build build/native --target ui_bench && build/native/ui_bench
// At 17,400 blocks a frame should take at most 4 ms.

#include <benchmark/benchmark.h>

#include "visualizer/app/app.h"
#include "visualizer/platform/headless.h"

namespace {

using namespace kvarium::ui;

/// A window in which 26 requests fill a pool of so many blocks; `playing` steps between frames.
void frame(benchmark::State& state, bool playing) {
  Headless host(1440, 900);
  App app(host);
  app.show_scenario("own");
  app.set_parameter("num_blocks", std::to_string(state.range(0)));
  app.set_parameter("num_requests", "26");
  app.set_parameter("new_tokens", "48");
  app.set_parameter("block_size", "4");
  app.start(false);
  app.finish_run();
  app.go_to_step(20);
  for (int i = 0; i < 3; ++i) host.frame();
  std::uint64_t step = 20;
  for (auto _ : state) {
    if (playing) app.go_to_step(++step % 40 + 1);
    host.frame();
  }
  state.counters["blocks"] = static_cast<double>(app.run().player.world().blocks.size());
}

void frame_at_rest(benchmark::State& state) { frame(state, false); }
void frame_after_a_step(benchmark::State& state) { frame(state, true); }

BENCHMARK(frame_at_rest)->Arg(32)->Arg(400)->Arg(17400)->Unit(benchmark::kMillisecond);
BENCHMARK(frame_after_a_step)->Arg(32)->Arg(400)->Arg(17400)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
