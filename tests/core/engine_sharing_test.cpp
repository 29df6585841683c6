// Forks, copy-on-write, parallel sampling and swapping, in the engine over the fake model, which gives another answer
// as soon as one slot is wrong.

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

RequestSpec warm(const std::string& prompt, std::uint32_t max_new_tokens, std::uint32_t candidates) {
  RequestSpec spec = ask(prompt, max_new_tokens);
  spec.sampling = {.temperature = 2, .top_k = 0, .top_p = 1, .seed = 5};
  spec.candidates = candidates;
  return spec;
}

std::string table(const Bench& bench, RequestId id) { return bench.engine.table(id)->show(); }

/// The answers that the same seeds give when nobody shares anything.
std::vector<std::string> alone(const RequestSpec& spec) {
  std::vector<std::string> answers;
  for (std::uint32_t i = 0; i < spec.candidates; ++i) {
    RequestSpec single = spec;
    single.candidates = 1;
    single.sampling.seed += i;
    Bench bench(16);
    bench.engine.submit(single);
    bench.run();
    answers.push_back(bench.text_of(kA));
  }
  return answers;
}

}  // namespace

TEST_CASE("three answers to one prompt: the prompt is computed once and its blocks are shared") {
  Bench bench(8);
  bench.engine.submit(warm("abcdef", 4, 3));
  bench.step();
  CHECK(table(bench, kA) == "[0,1] 6 tokens");
  CHECK(table(bench, kB) == "[0,1] 6 tokens");
  CHECK(table(bench, kC) == "[0,1] 6 tokens");
  CHECK(bench.engine.pool().show() == "free 2 3 4 5 6 7 | used 0x3 1x3");
}

TEST_CASE("the last block is copied by all but the last of those who write into it; full blocks stay shared") {
  Bench bench(8);
  bench.engine.submit(warm("abcdef", 4, 3));
  bench.step();
  bench.step();
  CHECK(table(bench, kA) == "[0,2] 7 tokens");
  CHECK(table(bench, kB) == "[0,3] 7 tokens");
  CHECK(table(bench, kC) == "[0,1] 7 tokens");  // nobody else was left: it writes in place
  CHECK(bench.engine.pool().show() == "free 4 5 6 7 | used 0x3 1x1 2x1 3x1");
  CHECK(bench.count<BlockCopied>() == 2);
  CHECK(bench.world_check.world().copies == CopyCounts{2, 4});
}

TEST_CASE("each candidate draws with its own seed, and gets the answer that it would get alone") {
  const RequestSpec spec = warm("abcdef", 6, 3);
  Bench bench(16);
  bench.engine.submit(spec);
  bench.run();
  CHECK(bench.engine.request(kA).forks == std::vector<RequestId>{kB, kC});
  CHECK(std::vector<std::string>{bench.text_of(kA), bench.text_of(kB), bench.text_of(kC)} == alone(spec));
  CHECK(bench.text_of(kA) != bench.text_of(kB));
}

TEST_CASE("a prompt that ends with its block leaves nothing to copy") {
  Bench bench(8);
  bench.engine.submit(warm("abcdefgh", 4, 2));
  bench.run();
  CHECK(bench.count<BlockCopied>() == 0);
}

TEST_CASE("a request with three candidates takes three places") {
  Bench bench(16, {.max_running = 4, .token_budget = 100});
  bench.engine.submit(warm("abc", 4, 3));
  bench.engine.submit(warm("abd", 4, 2));
  CHECK(bench.plan() == "admit A | compute A:3");
  CHECK_THROWS_WITH(bench.engine.submit(warm("abc", 4, 5)), contains("5 candidates, but at most 4 requests may run"));
  CHECK_THROWS_WITH(bench.engine.submit(warm("abc", 4, 0)), contains("0 candidates: ask for at least 1 answer"));
}

TEST_CASE("a running request can be forked at any moment, with a seed of its own") {
  Bench bench(16);
  bench.engine.submit(warm("abcdef", 8, 1));
  bench.step();
  bench.step();
  const RequestId fork = bench.engine.fork(kA, 99);
  bench.check();
  CHECK(table(bench, fork) == table(bench, kA));
  CHECK(bench.engine.request(fork).tokens == bench.engine.request(kA).tokens);
  bench.run();
  CHECK(bench.text_of(fork).substr(0, 2) == bench.text_of(kA).substr(0, 2));
  CHECK(bench.text_of(fork) != bench.text_of(kA));
  CHECK(bench.engine.pool().num_free() == 16);
}

TEST_CASE("what does not run cannot be forked, and the refusal changes nothing") {
  Bench bench(16, {.max_running = 1, .token_budget = 100});
  bench.engine.submit(ask("abc", 2));
  CHECK_THROWS_WITH(bench.engine.fork(kA, 1), contains("request A does not run"));
  bench.step();
  CHECK_THROWS_WITH(bench.engine.fork(kA, 1), contains("1 requests run, and no more may"));
  bench.run();
  const std::size_t events = bench.sink.events.size();
  CHECK_THROWS_AS(bench.engine.fork(kA, 1), InputError);
  CHECK_THROWS_AS(bench.engine.fork(RequestId{7}, 1), MisuseError);
  CHECK(bench.sink.events.size() == events);
}

TEST_CASE("when the model fails after a copy, the slots go back and the step can be tried again") {
  const RequestSpec spec = warm("abcdef", 4, 3);
  Bench bench(8);
  bench.engine.submit(spec);
  bench.step();
  bench.runner.fail_at = 2;
  CHECK_THROWS(bench.engine.step());
  bench.check();
  CHECK(table(bench, kA) == "[0,2] 6 tokens");
  bench.run();
  CHECK(bench.text_of(kB) == alone(spec)[1]);
}

TEST_CASE("aborting one candidate leaves the others their blocks") {
  const RequestSpec spec = warm("abcdef", 6, 3);
  Bench bench(8);
  bench.engine.submit(spec);
  bench.step();
  CHECK(bench.engine.abort(kB));
  bench.check();
  CHECK(bench.engine.pool().show() == "free 2 3 4 5 6 7 | used 0x2 1x2");
  bench.run();
  CHECK(bench.text_of(kC) == alone(spec)[2]);
}

// Numbers of the sources: a prompt of 20 tokens in blocks of 8 that are handed out in this order.
TEST_CASE("scenario S03: 5 blocks instead of 9, and 8 instead of 12 when the next block is full") {
  std::vector<BlockId> order;
  for (const std::uint32_t id : {7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11}) order.push_back(BlockId{id});
  Bench bench(16, [&order](EngineConfig& config) {
    config.block_size = 8;
    config.hand_out_order = order;
  });
  bench.engine.submit(warm("abcdefghijklmnopqrst", 7, 3));
  bench.step();
  CHECK(table(bench, kA) == "[7,3,12] 20 tokens");
  CHECK(bench.engine.pool().ref_count(BlockId{12}) == 3);
  bench.step();
  CHECK(table(bench, kA) == "[7,3,5] 21 tokens");
  CHECK(table(bench, kB) == "[7,3,9] 21 tokens");
  CHECK(table(bench, kC) == "[7,3,12] 21 tokens");
  CHECK(bench.engine.pool().num_blocks() - bench.engine.pool().num_free() == 5);
  for (int step = 0; step < 4; ++step) bench.step();
  CHECK(table(bench, kA) == "[7,3,5,14] 25 tokens");
  CHECK(table(bench, kB) == "[7,3,9,1] 25 tokens");
  CHECK(table(bench, kC) == "[7,3,12,10] 25 tokens");
  CHECK(bench.engine.pool().num_blocks() - bench.engine.pool().num_free() == 8);
}

// --- swapping

TEST_CASE("a request that is swapped out comes back with its K and V: nothing is computed again") {
  Bench bench(5, [](EngineConfig& config) { config.preemption = Preemption::swap; });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  for (int step = 0; step < 3; ++step) bench.step();
  CHECK(bench.status(kB) == "preempted");
  CHECK(bench.world_check.world().request(kB).swapped_tokens == 8);
  while (bench.status(kA) != "finished") bench.step();
  CHECK(bench.plan() == "admit B | compute B:1");
  bench.step();
  CHECK(bench.world_check.world().request(kB).swapped_tokens == 0);
  bench.run();
  CHECK(bench.text_of(kB) == answer_of("ijklmno", 6));
  CHECK(bench.count<KvSwappedOut>() == 1);
  CHECK(bench.count<KvSwappedIn>() == 1);
}

TEST_CASE("without room in the host's memory the K and V are computed again") {
  Bench bench(5, [](EngineConfig& config) {
    config.preemption = Preemption::swap;
    config.swap_bytes = 8;
  });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  CHECK(bench.count<RequestPreempted>() == 1);
  CHECK(bench.count<KvSwappedOut>() == 0);
  CHECK(bench.text_of(kB) == answer_of("ijklmno", 6));
}

TEST_CASE("aborting a swapped request gives its room in the host's memory back") {
  Bench bench(5, [](EngineConfig& config) {
    config.preemption = Preemption::swap;
    config.swap_bytes = 32;  // two blocks of the fake model
  });
  for (int round = 0; round < 3; ++round) {
    bench.engine.submit(ask("abcdefgh", 6));
    const RequestId b = bench.engine.submit(ask("ijklmno", 6));
    for (int step = 0; step < 3; ++step) bench.step();
    CHECK(bench.engine.abort(b));
    bench.run();
  }
  CHECK(bench.count<KvSwappedOut>() == 3);
}
