// The time line in the window: lanes that scroll, forks, preemptions and swaps.

#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"
#include "tests/visualizer/show_run.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::ask;
using kvarium_test::Bench;
using kvarium_test::contains;
using kvarium_test::show_run;

TEST_CASE("the wheel over the letters scrolls lanes that do not fit, and stops at both ends") {
  OpenWindow window;
  Bench bench(64);
  for (int i = 0; i < 20; ++i) bench.engine.submit(ask("abcd", 1));
  bench.run();
  show_run(window, bench);
  window.driver.expect("lane:A");
  window.driver.expect_gone("lane:T");
  for (int i = 0; i < 30; ++i) window.driver.wheel("lane_labels", -1);
  window.driver.expect("lane:T");
  window.driver.expect_gone("lane:A");
  window.driver.wheel("lane_labels", 1);
  window.driver.expect_gone("lane:T");
  for (int i = 0; i < 30; ++i) window.driver.wheel("lane_labels", 1);
  window.driver.expect("lane:A");
  window.driver.expect("lane_labels", "0");
}

TEST_CASE("a fork is linked to its parent's lane, and copies are counted in the status line") {
  OpenWindow window;
  Bench bench(16);
  RequestSpec spec = ask("abcdef", 4);
  spec.candidates = 3;
  bench.engine.submit(spec);
  bench.run();
  show_run(window, bench);
  window.driver.expect("fork:B", "A");
  window.driver.expect("fork:C", "A");
  window.app.go_to_step(2);
  window.driver.wait(2);
  window.driver.expect("copies", "copied 2 blocks");
  window.driver.expect("state/copying", "off");
}

TEST_CASE("a preempted request is shown as preempted, or as swapped out where its K and V went to the host") {
  const Preemption how = GENERATE(values({Preemption::recompute, Preemption::swap}));
  OpenWindow window;
  Bench bench(8, [how](EngineConfig& config) { config.preemption = how; });
  bench.engine.submit(ask("abcdefghi", 9));
  bench.engine.submit(ask("efgh", 12));
  bench.engine.submit(ask("qrstuv", 8));
  bench.run();
  show_run(window, bench);
  const World& end = window.app.run().trace.newest();
  std::string seen;
  for (std::uint64_t step = 1; step <= end.step && seen.empty(); ++step) {
    window.app.go_to_step(step);
    window.driver.wait(2);
    for (const char* lane : {"lane:A", "lane:B", "lane:C"}) {
      const std::string state = window.driver.item(lane).value;
      if (state == "preempted" || state == "swapped out") seen = state;
    }
  }
  CHECK(seen == (how == Preemption::swap ? "swapped out" : "preempted"));
}

TEST_CASE("the status line counts what the prefix cache found") {
  OpenWindow window;
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  for (int i = 0; i < 2; ++i) {
    bench.engine.submit(ask("abcdefghi", 1));
    bench.run();
  }
  show_run(window, bench);
  window.driver.key("End");
  window.driver.wait(2);
  window.driver.expect("hit_rate", "hits 8/18 tokens (44.4 %)");
}
