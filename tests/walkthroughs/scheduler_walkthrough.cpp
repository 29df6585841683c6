// Scheduling, as a story to be read from top to bottom. Every plan and every state below is checked when the tests run.
//
// A step of the engine computes some tokens of some requests. Which ones? A scheduler decides, and it may only look:
// its plan is a value. The engine then carries the plan out, the only place where anything changes.
//
// Notation:
//   a plan     admit A B | compute A:9 B:6        A and B join; A computes 9 tokens, B 6
//              preempt D | compute A:1            D gives its blocks back and waits; A computes 1 token
//   a table    [0,1,2] 9 tokens                   the request's blocks, and how many tokens are in them

#include <memory>

#include "core/scheduling/static_scheduler.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2}, kD{3};

/// An engine over the fake model with any scheduler; blocks of 4 tokens, every step checked.
struct Server {
  Server(std::uint32_t num_blocks, StepLimits limits, std::unique_ptr<Scheduler> how,
         Preemption preemption = Preemption::recompute)
      : scheduler(std::move(how)), engine(config(num_blocks, limits, preemption), runner, *scheduler, text, sink) {}

  EngineConfig config(std::uint32_t num_blocks, StepLimits limits, Preemption preemption) {
    EngineConfig config{4, ascending_order(num_blocks), limits, [this] { return now += 1000; }};
    config.preemption = preemption;
    return config;
  }
  /// A prompt of its own for each request, so that nothing could be shared.
  RequestId ask(std::uint32_t prompt_tokens, std::uint32_t new_tokens) {
    const std::string prompt(prompt_tokens, static_cast<char>('a' + prompts++));
    return engine.submit(kvarium_test::ask(prompt, new_tokens));
  }
  /// What the next step will do; then it is done.
  std::string step() {
    const std::string plan = show(engine.plan());
    REQUIRE(engine.step());
    check(sink, engine);
    return plan;
  }
  std::size_t free() const { return engine.pool().num_free(); }
  bool ended(RequestId id) const { return engine.request(id).status == RequestStatus::finished; }

  std::uint64_t now = 0;
  int prompts = 0;
  VectorSink sink;
  FakeRunner runner;
  std::unique_ptr<Scheduler> scheduler;
  LetterText text;
  Engine engine;
  WorldCheck check;
};

std::unique_ptr<Scheduler> continuous(bool chunked = false) {
  ContinuousOptions options;
  options.chunked_prefill = chunked;
  return std::make_unique<ContinuousScheduler>(options);
}

/// Five requests of 4 prompt tokens that write 3, 7, 5, 5 and 3; three places.
void five_requests(Server& server) {
  for (const std::uint32_t answer : {3, 7, 5, 5, 3}) server.ask(4, answer);
}

/// The small pool of the last chapters: 12 blocks, 16 tokens a step, 4 places.
constexpr StepLimits kSmall{4, 16};

/// Until D has been preempted in step 5.
void until_the_pool_is_full(Server& server) {
  server.ask(9, 12);
  server.ask(6, 10);
  server.step();
  server.ask(5, 8);
  server.step();
  server.step();
  server.ask(12, 4);
  server.step();
  server.step();
}

}  // namespace

TEST_CASE("1. A static batch is filled once: D and E start when B, the longest, is done") {
  Server server(16, {3, 100}, std::make_unique<StaticScheduler>());
  five_requests(server);
  CHECK(server.step() == "admit A B C | compute A:4 B:4 C:4");  // each prompt gives its first token at once
  CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.ended(kA));
  CHECK(server.step() == "compute B:1 C:1");  // A's place is empty, and D waits
  CHECK(server.step() == "compute B:1 C:1");
  CHECK(server.step() == "compute B:1");
  CHECK(server.step() == "compute B:1");
  CHECK(server.step() == "admit D E | compute D:4 E:4");
  CHECK(server.step() == "compute D:1 E:1");
  CHECK(server.step() == "compute D:1 E:1");
  CHECK(server.step() == "compute D:1");
  CHECK(server.step() == "compute D:1");
  CHECK(server.engine.idle());  // 12 steps
}

// Many pictures draw A's end in step 4, although D has A's place in that step already. Here a request is in the batch
// of as many steps as it writes tokens, and the last token is its end.
TEST_CASE("2. A continuous batch is filled anew after each step: the same work is done in 8 steps") {
  Server server(16, {3, 100}, continuous());
  five_requests(server);
  CHECK(server.step() == "admit A B C | compute A:4 B:4 C:4");
  CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.step() == "admit D | compute B:1 C:1 D:4");  // {B, C, D}: A is done, D joins
  CHECK(server.step() == "compute B:1 C:1 D:1");
  CHECK(server.step() == "admit E | compute B:1 D:1 E:4");  // {B, D, E}: C is done, E joins
  CHECK(server.step() == "compute B:1 D:1 E:1");
  CHECK(server.step() == "compute D:1 E:1");  // {D, E}: B is done
  CHECK(server.engine.idle());
}

TEST_CASE("3. The budget: running requests come first, and a prompt takes what is left or waits") {
  Server whole(12, {4, 10}, continuous());
  whole.ask(9, 4);
  whole.ask(6, 4);
  CHECK(whole.step() == "admit A | compute A:9");
  CHECK(whole.step() == "admit B | compute A:1 B:6");

  // Cut into chunks, no budget stays unused, and no prompt holds up the others for long.
  Server chunked(12, {4, 10}, continuous(true));
  chunked.ask(9, 4);
  chunked.ask(6, 4);
  CHECK(chunked.step() == "admit A B | compute A:9 B:1");
  CHECK(chunked.engine.request(kB).text.empty());  // its prompt is not finished: no token yet
  CHECK(chunked.step() == "compute A:1 B:5");
  CHECK(chunked.engine.request(kB).text.size() == 1);
}

TEST_CASE("4. The pool fills up: 7, 5, 5, 1 free blocks, then D must give way") {
  Server server(12, kSmall, continuous());
  server.ask(9, 12);
  server.ask(6, 10);
  CHECK(server.step() == "admit A B | compute A:9 B:6");
  CHECK(server.free() == 7);
  server.ask(5, 8);
  CHECK(server.step() == "admit C | compute A:1 B:1 C:5");
  CHECK(server.free() == 5);
  CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.free() == 5);
  server.ask(12, 4);
  CHECK(server.step() == "admit D | compute A:1 B:1 C:1 D:12");
  CHECK(server.free() == 1);
  CHECK(server.engine.table(kD)->show() == "[8,9,10] 12 tokens");

  // A needs a new block and takes the last one; D needs one too. D came last: it preempts itself.
  CHECK(server.step() == "preempt D | compute A:1 B:1 C:1");
  CHECK(server.free() == 3);
  CHECK(server.engine.request(kD).status == RequestStatus::preempted);
  CHECK(server.engine.request(kD).tokens.size() == 13);  // its tokens are kept: only K and V are gone
}

TEST_CASE("5. D waits for 4 blocks, and computes its 12 lost tokens again") {
  Server server(12, kSmall, continuous());
  until_the_pool_is_full(server);
  for (int step = 6; step <= 9; ++step) CHECK(server.step() == "compute A:1 B:1 C:1");
  CHECK(server.ended(kC));
  CHECK(server.free() == 3);
  CHECK(server.step() == "compute A:1 B:1");  // 3 blocks are too few for D's 13 tokens
  CHECK(server.ended(kB));
  CHECK(server.step() == "admit D | compute A:1 D:13");
  CHECK(server.step() == "compute A:1 D:1");
  CHECK(server.ended(kA));
  CHECK(server.step() == "compute D:1");
  CHECK(server.engine.idle());  // 13 steps
  CHECK(server.free() == 12);
  CHECK(server.engine.request(kD).text == answer_of(std::string(12, 'd'), 4));  // as if nothing had happened
}

TEST_CASE("6. Swapped instead of thrown away, D computes one token when it returns") {
  Server server(12, kSmall, continuous(), Preemption::swap);
  until_the_pool_is_full(server);
  while (!server.ended(kB)) server.step();
  CHECK(server.step() == "admit D | compute A:1 D:1");
  CHECK(server.engine.table(kD)->num_tokens() == 13);
}
