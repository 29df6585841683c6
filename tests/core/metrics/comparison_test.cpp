// Two runs side by side.

#include <algorithm>

#include "core/metrics/comparison.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

struct Run {
  explicit Run(PrefixCaching kind) {
    Bench bench(8, [kind](EngineConfig& config) { config.prefix_cache.kind = kind; });
    for (int i = 0; i < 2; ++i) {
      bench.engine.submit(ask("abcdefghij", 2));
      bench.run();
    }
    for (const Event& event : bench.sink.events) trace.emit(event);
    log.follow(trace);
  }
  MetricsSummary at(std::uint64_t step) const {
    const std::size_t end = step < trace.num_steps() ? trace.start_of_step(step + 1) : trace.size();
    return summarise(trace, trace.world_at(end), log);
  }
  Trace trace;
  MetricsLog log;
};

ComparedRow row(const std::vector<ComparedRow>& rows, const std::string& name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const ComparedRow& one) { return one.name == name; });
  REQUIRE(at != rows.end());
  return *at;
}

}  // namespace

TEST_CASE("a comparison says what the other run has more, with its sign") {
  const Run off(PrefixCaching::off), hash(PrefixCaching::hash);
  const auto rows = compare(off.at(4), off.trace.num_steps(), hash.at(4), hash.trace.num_steps());
  CHECK(row(rows, "tokens found in the cache") == ComparedRow{"tokens found in the cache", "0", "8", "+8"});
  CHECK(row(rows, "hit rate") == ComparedRow{"hit rate", "0.0 %", "40.0 %", "+40.0 %"});
  CHECK(row(rows, "tokens computed") == ComparedRow{"tokens computed", "22", "14", "-8"});
  CHECK(row(rows, "requests finished") == ComparedRow{"requests finished", "2", "2", ""});
  CHECK(row(rows, "steps of the whole run") == ComparedRow{"steps of the whole run", "4", "4", ""});
}

TEST_CASE("a run compared with itself differs in nothing, at every step") {
  const Run run(PrefixCaching::radix);
  for (std::uint64_t step = 0; step <= run.trace.num_steps(); ++step) {
    for (const ComparedRow& one : compare(run.at(step), 4, run.at(step), 4)) CHECK(one.delta.empty());
  }
}

TEST_CASE("the comparison's text is a table with a title line") {
  const std::vector<ComparedRow> rows{{"hits", "3", "12", "+9"}, {"evictions", "7", "7", ""}};
  CHECK(comparison_text(rows, "off", "hash") ==
        "           off  hash  difference\n"
        "hits       3    12    +9\n"
        "evictions  7    7\n");
}
