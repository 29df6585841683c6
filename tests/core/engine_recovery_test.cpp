// States that take several steps to reach: forks that part in the radix tree, devices that fail half-way, and plans
// that must count what they took.

#include "core/error.h"
#include "core/scheduling/planned_blocks.h"
#include "core/scheduling/static_scheduler.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

/// `prompt` until the engine has computed `tokens` tokens of it and its answer; it would go on.
void run_until(Bench& bench, RequestId id, std::uint32_t tokens) {
  while (bench.engine.table(id)->num_tokens() < tokens) REQUIRE(bench.step());
}

}  // namespace

TEST_CASE("what a fork shares in the radix tree cannot be evicted when the parent is done") {
  Bench bench(4, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  bench.engine.submit(ask("abcd", 6));
  run_until(bench, kA, 8);  // 5 of 6 answer tokens are there: A ends in the next step
  const RequestId b = bench.engine.fork(kA, 1);
  bench.check();
  bench.engine.abort(kA);  // leaves the tree with what it had kept
  bench.check();
  CHECK(bench.engine.prefix_cache().num_available() == 2);  // B holds the other two, locked
  bench.engine.submit(ask("mnopqrstu", 1));                 // 3 blocks: not yet
  CHECK(bench.plan() == "compute B:1");
  bench.run();
  CHECK(bench.text_of(b) == answer_of("abcd", 6));
  CHECK(bench.text_of(kC) == answer_of("mnopqrstu", 1));
}

TEST_CASE(
    "the prefix cache is not emptied while K and V of a request wait in the host's memory, or were never cached") {
  Bench swapped(5, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.preemption = Preemption::swap;
  });
  swapped.engine.submit(ask("abcdefgh", 6));
  swapped.engine.submit(ask("ijklmno", 6));
  while (swapped.status(kB) != "preempted") REQUIRE(swapped.step());
  swapped.engine.abort(kA);
  CHECK(swapped.engine.pool().num_free() == 5);
  CHECK_FALSE(swapped.engine.reset_prefix_cache());

  Bench small(5, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  small.engine.submit(ask("abc", 3));  // less than a page: nothing of it is in the tree
  small.step();
  CHECK_FALSE(small.engine.reset_prefix_cache());
  small.run();
  CHECK(small.engine.reset_prefix_cache());
}

TEST_CASE("when K and V do not come back from the host they are computed again, and their room there is free") {
  Bench bench(5, [](EngineConfig& config) {
    config.preemption = Preemption::swap;
    config.swap_bytes = 32;  // two blocks of the fake model
  });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  while (bench.status(kB) != "preempted") REQUIRE(bench.step());
  while (bench.status(kA) != "finished") REQUIRE(bench.step());
  bench.runner.restore_fails_at = 1;
  CHECK_THROWS(bench.engine.step());
  bench.check();
  CHECK(bench.world_check.world().request(kB).swapped_tokens == 0);
  CHECK(bench.plan() == "compute B:9");
  bench.run();
  CHECK(bench.text_of(kB) == answer_of("ijklmno", 6));

  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  CHECK(bench.count<KvSwappedOut>() == 2);  // there was room again
}

TEST_CASE("when a copy fails the table names the shared block again, and the next step copies it") {
  Bench bench(8);
  RequestSpec spec = ask("abcdef", 4);
  spec.candidates = 2;
  bench.engine.submit(spec);
  bench.step();
  bench.runner.copy_fails_at = 1;
  CHECK_THROWS(bench.engine.step());
  bench.check();
  CHECK(bench.engine.table(kA)->show() == "[0,1] 6 tokens");
  CHECK(bench.engine.pool().ref_count(BlockId{1}) == 2);
  bench.run();
  CHECK(bench.text_of(kA) == answer_of("abcdef", 4));
  CHECK(bench.text_of(kB) == answer_of("abcdef", 4));
}

TEST_CASE("a chunk that copies and is then given up is taken back whole") {
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  const auto cache = no_prefix_cache(pool);
  BlockTable a(pool, kA), b(pool, kB);
  REQUIRE(a.append(3));
  a.fork_into(b);
  PlannedBlocks blocks(pool, *cache);
  CHECK(blocks.take(a, 1));  // a copy
  CHECK(blocks.available() == 2);
  blocks.give_back(b);
  blocks.give_back(a);
  CHECK(blocks.available() == 4);
  a.release();
  b.release();
}

TEST_CASE("by priority, with a fork whose copy was planned: the engine finds its way out") {
  Bench bench(4, [](EngineConfig&) {}, {.order = WaitingOrder::priority, .chunked_prefill = true},
              {.max_running = 3, .token_budget = 9});
  bench.engine.submit(ask("ab", 4));
  bench.step();
  RequestSpec important = ask("cdefghijklmnopq", 1);
  important.priority = 1;
  bench.engine.submit(important);
  bench.step();
  bench.engine.fork(kA, 5);
  bench.run();
  for (const std::uint32_t id : {0, 2}) CHECK(bench.text_of(RequestId{id}) == answer_of("ab", 4));
  CHECK(bench.text_of(kB) == answer_of("cdefghijklmnopq", 1));
}

TEST_CASE("static batching preempts when its candidates need more blocks than there are, and goes on") {
  FakeRunner runner;
  LetterText text;
  VectorSink sink;
  const StaticScheduler scheduler;
  EngineConfig config;
  config.block_size = 4;
  config.hand_out_order = ascending_order(4);
  Engine engine(config, runner, scheduler, text, sink);
  RequestSpec spec = ask("abcd", 8);
  spec.candidates = 3;
  engine.submit(spec);
  WorldCheck check;
  while (engine.step()) check(sink, engine);
  for (const std::uint32_t id : {0, 1, 2}) CHECK(engine.request(RequestId{id}).text == answer_of("abcd", 8));
}

TEST_CASE("nothing is saved for the host when it would not fit there") {
  class Counting : public FakeRunner {
   public:
    std::vector<std::byte> save(std::span<const BlockId> blocks) const override {
      ++saves;
      return FakeRunner::save(blocks);
    }
    mutable int saves = 0;
  };
  Counting runner;
  LetterText text;
  VectorSink sink;
  const ContinuousScheduler scheduler;
  EngineConfig config;
  config.block_size = 4;
  config.hand_out_order = ascending_order(5);
  config.preemption = Preemption::swap;
  config.swap_bytes = 0;
  Engine engine(config, runner, scheduler, text, sink);
  engine.submit(ask("abcdefgh", 6));
  engine.submit(ask("ijklmno", 6));
  while (engine.step()) {
  }
  CHECK(engine.request(kB).preemptions == 1);
  CHECK(runner.saves == 0);
}

TEST_CASE("a plan that admits a request and computes nothing of it is refused: its blocks would not be counted") {
  Bench bench(4);
  bench.engine.submit(ask("abcd", 4));
  bench.engine.submit(ask("efgh", 4));
  const std::size_t events = bench.sink.events.size();
  CHECK_THROWS_WITH(bench.engine.apply({{}, {kA, kB}, {{kA, 4}}}),
                    contains("request B is admitted and computes nothing"));
  CHECK_THROWS_WITH(bench.engine.apply({{}, {kA, kA}, {{kA, 4}}}), contains("request A is admitted twice"));
  CHECK(bench.sink.events.size() == events);
}

TEST_CASE("a tree whose trunk was evicted can still be shown") {
  Bench bench(16, [](EngineConfig& config) {
    config.block_size = 1;
    config.prefix_cache.kind = PrefixCaching::radix;
    config.fault = Fault::flat_lru;
  });
  for (const char* prompt : {"bcdefghi", "bcdefjkl", "bcdmn", "bcdefghio", "uvwx", "pqrstyz"}) {
    bench.engine.submit(ask(prompt, 1));
    while (bench.engine.step()) {
    }
  }
  CHECK_FALSE(bench.engine.prefix_cache().show().empty());
  CHECK_FALSE(bench.engine.prefix_cache().violations().empty());
}
