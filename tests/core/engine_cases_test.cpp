// Real failures of other systems, as small inputs to the engine: who holds blocks, who is served, and what ends. Blocks
// of 4 tokens; Kvarium has no placeholder block, so that ids are one less than in vLLM's reports.

#include <random>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

std::size_t releases_of(const Bench& bench, RequestId id) {
  std::size_t count = 0;
  for (const Event& event : bench.sink.events) {
    const auto* released = std::get_if<BlockReleased>(&event);
    count += released != nullptr && released->request == id ? 1 : 0;
  }
  return count;
}

/// Tokens that step `step` computed for the request, and how many positions its newest token read.
std::pair<std::uint32_t, std::uint32_t> computed_and_read(const Bench& bench, RequestId id, std::uint64_t step) {
  std::pair<std::uint32_t, std::uint32_t> found{0, 0};
  std::uint64_t now = 0;
  for (const Event& event : bench.sink.events) {
    if (const auto* started = std::get_if<StepStarted>(&event)) now = started->step;
    if (now != step) continue;
    if (const auto* computed = std::get_if<KvComputed>(&event); computed != nullptr && computed->request == id) {
      found.first = computed->count;
    }
    if (const auto* read = std::get_if<KvRead>(&event); read != nullptr && read->request == id)
      found.second = read->count;
  }
  return found;
}

}  // namespace

// --- who holds blocks

TEST_CASE("case B02: a prompt that is cached whole still has a token to compute") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(8, [kind](EngineConfig& config) { config.prefix_cache.kind = kind; });
  bench.engine.submit(ask("abcdefgh", 1));
  bench.run();
  bench.engine.submit(ask("abcdefgh", 1));
  CHECK(bench.plan() == "admit B | compute B:4");
}

TEST_CASE("case B11: whatever the order of abort and end, each block is let go once") {
  Bench bench(8);
  bench.engine.submit(ask("abcdef", 2));
  bench.run();
  CHECK_FALSE(bench.engine.abort(kA));
  CHECK(releases_of(bench, kA) == 2);
  bench.engine.submit(ask("abcdef", 2));
  bench.step();
  CHECK(bench.engine.abort(kB));
  CHECK_FALSE(bench.engine.abort(kB));
  bench.run();
  CHECK(releases_of(bench, kB) == 2);
  CHECK(bench.engine.pool().num_free() == 8);
}

TEST_CASE("case B12: a request that has finished is nobody's victim") {
  Bench bench(4);
  bench.engine.submit(ask("abcdefgh", 8));
  bench.engine.submit(ask("ijkl", 1));  // ends in the first step
  bench.step();
  bench.engine.submit(ask("mnopqrst", 2));
  bench.run();
  CHECK(bench.world_check.world().request(kB).preemptions == 0);
  CHECK(bench.text_of(kA) == answer_of("abcdefgh", 8));
}

TEST_CASE("case B21: free and held blocks are the whole pool after a preemption in each step") {
  for (std::uint32_t blocks = 3; blocks <= 6; ++blocks) {
    Bench bench(blocks);
    bench.engine.submit(ask("abcd", 8));
    bench.engine.submit(ask("efgh", 8));
    bench.run();  // every step is checked against the invariants
    CHECK(bench.engine.pool().num_free() == blocks);
  }
}

TEST_CASE("case B22: an abort while waiting, in a chunk, while decoding, and in the host's memory leaves nothing") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::off, PrefixCaching::hash, PrefixCaching::radix}));
  const int steps = GENERATE(0, 1, 2, 3, 4, 5);
  Bench bench(5,
              [kind](EngineConfig& config) {
                config.prefix_cache.kind = kind;
                config.preemption = Preemption::swap;
              },
              {.chunked_prefill = true}, {.max_running = 4, .token_budget = 6});
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  for (int i = 0; i < steps; ++i) bench.step();
  CHECK(bench.engine.abort(kB));
  CHECK(bench.engine.abort(kA));
  bench.check();
  CHECK(bench.engine.table(kB) == nullptr);
  CHECK(bench.engine.idle());
  if (kind != PrefixCaching::radix) CHECK(bench.engine.pool().num_free() == 5);
  if (kind == PrefixCaching::radix) CHECK(bench.engine.prefix_cache().num_available() == 5);
}

TEST_CASE("case B52: the same tokens under another adapter are announced with other hashes") {
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  RequestSpec adapted = ask("abcdefgh", 1);
  adapted.keys.adapter = Adapter{"a", 1};
  bench.engine.submit(ask("abcdefgh", 1));
  bench.engine.submit(adapted);
  bench.run();
  std::vector<BlockHash> hashes;
  for (const Event& event : bench.sink.events) {
    if (const auto* cached = std::get_if<BlockCached>(&event)) hashes.push_back(cached->hash);
  }
  REQUIRE(hashes.size() == 4);
  CHECK_FALSE(hashes[0] == hashes[2]);
  CHECK_FALSE(hashes[1] == hashes[3]);
}

// --- who is served

TEST_CASE("case B85: a request that the pool can never hold is refused, and those behind it run") {
  Bench bench(5);
  CHECK_THROWS_AS(bench.engine.submit(ask(std::string(20, 'a'), 1)), InputError);  // 21 tokens, 20 slots
  bench.engine.submit(ask("abcd", 1));
  bench.run();
  CHECK(bench.text_of(kA) == answer_of("abcd", 1));
}

TEST_CASE("case B86: when nobody runs and the head of the queue fits, the next step admits it") {
  Bench bench(4);
  bench.engine.submit(ask("abcdefghijkl", 4));
  bench.step();
  bench.engine.submit(ask("mnopqrstuvwx", 4));  // waits for room
  bench.step();
  CHECK(bench.status(kB) == "waiting");
  bench.engine.abort(kA);
  CHECK(bench.plan() == "admit B | compute B:12");
}

TEST_CASE("case B90: nobody is computed in the step that preempts it") {
  std::mt19937_64 random(3);
  Bench bench(6, [](EngineConfig&) {}, {.order = WaitingOrder::priority});
  for (int i = 0; i < 12; ++i) {
    RequestSpec spec = ask("abcdef", 8);
    spec.priority = static_cast<std::int32_t>(random() % 4);
    bench.engine.submit(spec);
  }
  std::size_t preempted = 0;
  while (!bench.engine.idle()) {
    const StepPlan plan = bench.engine.plan();
    for (const RequestId victim : plan.preempt) {
      ++preempted;
      for (const Chunk& chunk : plan.chunks) CHECK(chunk.request != victim);
    }
    bench.step();
  }
  CHECK(preempted > 0);
}

TEST_CASE("case B92: without chunks a long prompt is not overtaken by a short one") {
  Bench bench(16, {.max_running = 4, .token_budget = 12});
  for (int i = 0; i < 4; ++i) bench.engine.submit(ask("ab", 3 + i));
  bench.step();
  bench.engine.submit(ask("abcdefghij", 1));
  bench.engine.submit(ask("ab", 1));
  CHECK(bench.plan() == "compute A:1 B:1 C:1 D:1");
  bench.step();
  CHECK(bench.status(kA) == "running");
  bench.step();
  CHECK(bench.plan() == "compute B:1 C:1 D:1");  // 10 more do not fit, and the 2 behind them do not go before
}

TEST_CASE("case B92: a prompt above the whole budget is not refused here: it has a step for itself") {
  Bench bench(16, {.max_running = 4, .token_budget = 8});
  bench.engine.submit(ask("abcdefghij", 1));
  CHECK(bench.plan() == "admit A | compute A:10");
}

TEST_CASE("case B95: a chunk of no tokens changes nothing") {
  NullSink sink;
  BlockPool pool(4, ascending_order(2), sink);
  BlockTable table(pool, kA);
  CHECK(table.append(0));
  REQUIRE(table.append(4));
  CHECK(table.append(0));
  CHECK(table.show() == "[0] 4 tokens");
  table.release();
}

TEST_CASE("case B96: what is computed is counted after the hit") {
  Bench bench(8, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  bench.engine.submit(ask("abcd", 1));
  bench.run();
  bench.engine.submit(ask("abcdefgh", 1));
  CHECK(bench.plan() == "admit B | compute B:4");
}

TEST_CASE("case B97: a chunk reads what is computed, not what the prompt will have") {
  Bench bench(8, [](EngineConfig&) {}, {.chunked_prefill = true, .largest_chunk = 4});
  bench.engine.submit(ask("abcdefghij", 1));
  bench.run();
  CHECK(computed_and_read(bench, kA, 1) == std::pair(4U, 4U));
  CHECK(computed_and_read(bench, kA, 2) == std::pair(4U, 8U));
  CHECK(computed_and_read(bench, kA, 3) == std::pair(2U, 10U));
}

TEST_CASE("case B100: three requests whose blocks are full need three blocks for a token each") {
  Bench bench(8);
  for (const char* prompt : {"abcdefgh", "ijklmnop", "qrstuvwx"}) bench.engine.submit(ask(prompt, 3));
  bench.step();
  CHECK(bench.engine.pool().num_free() == 2);
  CHECK(bench.plan() == "preempt C | compute A:1 B:1");  // 2 of the 3 are free: one gives its own back
  bench.step();
  CHECK(bench.status(kC) == "preempted");
  bench.run();
  CHECK(bench.text_of(kC) == answer_of("qrstuvwx", 3));
}

TEST_CASE("case B102: a single request that cannot grow is refused at the door, and the engine goes on") {
  Bench bench(2);
  CHECK_THROWS_WITH(bench.engine.submit(ask("abcdefgh", 1)), contains("3 blocks of 4, but the pool has 2"));
  bench.engine.submit(ask("abcd", 4));
  bench.run();
  CHECK(bench.text_of(kA) == answer_of("abcd", 4));
}

// --- edges

TEST_CASE("case B165: a prompt longer than the context is refused, not cut") {
  Bench bench(16, {}, 16);
  CHECK_THROWS_WITH(bench.engine.submit(ask(std::string(30, 'a'), 1)),
                    contains("the prompt has 30 tokens, the context of 16 leaves no room"));
}

TEST_CASE("case B166: all blocks of the pool can be used, as none is a placeholder") {
  Bench bench(5);
  bench.engine.submit(ask(std::string(16, 'a'), 4));
  CHECK_THROWS_AS(bench.engine.submit(ask(std::string(17, 'a'), 4)), InputError);
  bench.run();
  CHECK(bench.text_of(kA) == answer_of(std::string(16, 'a'), 4));
}

TEST_CASE("case B167: a token outside the vocabulary is refused") {
  Bench bench(5);
  RequestSpec spec = ask("abc", 1);
  for (const std::int32_t token : {-1, 26}) {
    spec.prompt[1] = TokenId{token};
    CHECK_THROWS_WITH(bench.engine.submit(spec), contains("is outside the vocabulary, 0 to 25"));
  }
}

TEST_CASE("case B181: with blocks of 4, slots 8 to 15 are those of blocks 2 and 3") {
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  BlockTable table(pool, kA);
  REQUIRE(table.append(16));
  for (std::uint32_t position = 8; position < 16; ++position) {
    CHECK(value(table.slot_of(position)) == position);
    CHECK(table.blocks()[position / 4] == BlockId{position / 4});
  }
  table.release();
}
