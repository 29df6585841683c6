// Whom to admit first: SGLang's own orders for the same queues.

#include "core/scheduling/cache_aware_order.h"

#include <deque>
#include <memory>

#include "core/prefix/radix_cache.h"
#include "core/scheduling/static_scheduler.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

std::vector<TokenId> range(std::int32_t first, std::int32_t count) {
  std::vector<TokenId> tokens;
  for (std::int32_t i = 0; i < count; ++i) tokens.push_back(TokenId{first + i});
  return tokens;
}
std::vector<TokenId> repeated(std::int32_t token, std::size_t count) {
  return std::vector<TokenId>(count, TokenId{token});
}
std::vector<TokenId> operator+(std::vector<TokenId> left, const std::vector<TokenId>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// A tree of page size 1 that holds 0..99 followed by 900, 901, and 0..49 followed by 800 thirty times.
struct Queue {
  Queue() {
    insert(range(0, 100) + range(900, 2));
    insert(range(0, 50) + repeated(800, 30));
  }
  void insert(const std::vector<TokenId>& tokens) {
    std::vector<BlockId> blocks;
    for (std::size_t i = 0; i < tokens.size(); ++i) blocks.push_back(BlockId{next++});
    tree.insert(tokens, blocks);
  }
  void wait(std::vector<TokenId> tokens) { texts.push_back(std::move(tokens)); }
  std::vector<WaitingPrefix> waiting() const {
    std::vector<WaitingPrefix> all;
    for (const std::vector<TokenId>& text : texts) {
      const std::vector<BlockId> blocks = tree.peek(std::span(text).first(text.size() - 1));
      all.push_back({text, {blocks, static_cast<std::uint32_t>(blocks.size())}});
    }
    return all;
  }
  std::vector<std::uint32_t> hits() const {
    std::vector<std::uint32_t> all;
    for (const WaitingPrefix& prefix : waiting()) all.push_back(prefix.hit.num_tokens);
    return all;
  }

  RadixCache tree{1};
  std::uint32_t next = 0;
  std::vector<std::vector<TokenId>> texts;
};

using Places = std::vector<std::size_t>;

/// Its requests have nothing to look anything up with: whoever tries comes to grief.
class NoLookUps final : public PrefixCache {
 public:
  std::unique_ptr<PrefixRequest> arrive(RequestId, const ExtraKeys&) override { return nullptr; }
  std::size_t num_available() const override { return 0; }
};

}  // namespace

TEST_CASE("longest prefix first; who shares a new beginning with an earlier one waits for it") {
  Queue queue;
  queue.wait(range(1, 3));
  queue.wait(range(0, 100) + range(900, 1) + range(905, 1));
  queue.wait(range(0, 50) + repeated(800, 10) + range(5, 1));
  for (const std::int32_t last : {1, 2, 3}) queue.wait(range(5000, 40) + range(last, 1));
  CHECK(queue.hits() == std::vector<std::uint32_t>{0, 101, 60, 0, 0, 0});
  CHECK(longest_prefix_order(queue.waiting()) == Places{1, 2, 0, 3, 4, 5});
}

TEST_CASE("more than 128 waiting requests keep their order") {
  Queue queue;
  for (int i = 0; i < 128; ++i) queue.wait(range(1, 3));
  queue.wait(range(0, 100));
  CHECK(longest_prefix_order(queue.waiting()).back() == 128);
  queue.texts.erase(queue.texts.begin());
  CHECK(longest_prefix_order(queue.waiting()).front() == 127);
}

TEST_CASE("more than 128 waiting requests are not even looked up") {
  VectorSink sink;
  BlockPool pool(4, ascending_order(1), sink);
  NoLookUps cache;
  std::deque<LiveRequest> requests;
  std::vector<const LiveRequest*> waiting;
  for (std::uint32_t id = 0; id < 129; ++id) {
    requests.emplace_back(RequestId{id}, ask("abcde", 1), 64, pool, cache);
    waiting.push_back(&requests.back());
  }
  CHECK(longest_prefix_first(waiting) == waiting);
}

TEST_CASE("depth first: below the fullest branch first, and what ends at a node after what goes on") {
  Queue queue;
  queue.wait(range(0, 100) + range(900, 1) + range(1, 1));    // a
  queue.wait(range(0, 50) + repeated(800, 2) + range(7, 1));  // b
  queue.wait(range(0, 50) + repeated(800, 5) + range(8, 1));  // c
  queue.wait(repeated(7, 2));                                 // d
  queue.wait(range(0, 50) + repeated(800, 5) + range(9, 1));  // e
  CHECK(queue.hits() == std::vector<std::uint32_t>{101, 52, 55, 0, 55});
  CHECK(depth_first_order(queue.waiting()) == Places{2, 4, 1, 0, 3});
}

TEST_CASE("a prompt of 100,000 cached tokens is a deep branch, and no deep recursion") {
  WaitingPrefix deep;
  for (std::uint32_t i = 0; i < 100'000; ++i) deep.hit.blocks.push_back(BlockId{i});
  CHECK(depth_first_order({deep, {}}) == Places{0, 1});
}

TEST_CASE("the scheduler admits the request with the longest cached prefix first") {
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; },
              {.order = WaitingOrder::longest_prefix}, {.max_running = 1, .token_budget = 100});
  bench.engine.submit(ask("abcdefghi", 1));
  bench.run();
  bench.engine.submit(ask("xyz", 1));
  bench.engine.submit(ask("abcdz", 1));
  bench.engine.submit(ask("abcdefghz", 1));
  CHECK(bench.plan() == "admit D | compute D:1");
}

TEST_CASE("by priority: the most important is admitted first, and the least important is preempted") {
  Bench bench(4, [](EngineConfig&) {}, {.order = WaitingOrder::priority}, {.max_running = 2, .token_budget = 100});
  const auto submit = [&bench](const char* prompt, std::int32_t priority) {
    RequestSpec spec = ask(prompt, 6);
    spec.priority = priority;
    bench.engine.submit(spec);
  };
  submit("abcdefg", 1);
  submit("hijklmn", 0);
  submit("opq", 2);
  CHECK(bench.plan() == "admit C A | compute C:3 A:7");
  bench.step();
  bench.step();
  CHECK(bench.plan() == "preempt A | compute C:1");  // both need a block, and one is free
  while (bench.world_check.world().request(RequestId{0}).preemptions == 0 && !bench.engine.idle()) bench.step();
  CHECK(bench.world_check.world().request(RequestId{2}).preemptions == 0);
  bench.run();
  CHECK(bench.text_of(RequestId{0}) == answer_of("abcdefg", 6));
}

TEST_CASE("static batching: nobody joins until the whole batch is done") {
  FakeRunner runner;
  LetterText text;
  VectorSink sink;
  const StaticScheduler scheduler;
  EngineConfig config;
  config.block_size = 4;
  config.hand_out_order = ascending_order(16);
  config.limits = {.max_running = 2, .token_budget = 100};
  Engine engine(config, runner, scheduler, text, sink);
  engine.submit(ask("ab", 1));
  engine.submit(ask("cd", 3));
  engine.submit(ask("ef", 1));
  CHECK(show(engine.plan()) == "admit A B | compute A:2 B:2");
  engine.step();
  CHECK(engine.request(RequestId{0}).status == RequestStatus::finished);
  CHECK(show(engine.plan()) == "compute B:1");  // A's place stays empty
  engine.step();
  engine.step();
  CHECK(show(engine.plan()) == "admit C | compute C:2");
}
