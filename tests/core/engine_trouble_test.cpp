// The engine when memory runs out, requests are aborted or the model fails.

#include "core/engine.h"

#include <random>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

TEST_CASE("a full pool preempts the newest request, which recomputes and gives the same answer") {
  Bench bench(5);
  const RequestId a = bench.engine.submit(ask("abcdefgh", 6));
  const RequestId b = bench.engine.submit(ask("ijklmno", 6));
  bench.step();
  CHECK(bench.engine.pool().show() == "free 4 | used 0x1 1x1 2x1 3x1");
  bench.step();  // A takes block 4
  CHECK(bench.engine.table(b)->show() == "[2,3] 8 tokens");
  CHECK(bench.plan() == "preempt B | compute A:1");  // B needs a block and is the newest
  bench.step();
  CHECK(bench.status(b) == "preempted");
  CHECK(bench.engine.request(b).tokens.size() == 9);  // what was generated stays
  CHECK(bench.engine.pool().show() == "free 3 2 | used 0x1 1x1 4x1");
  CHECK(bench.plan() == "compute A:1");  // B needs 3 blocks, 2 are free
  while (bench.status(a) != "finished") bench.step();
  CHECK(bench.plan() == "admit B | compute B:9");  // prompt and generated tokens
  bench.run();
  CHECK(bench.text_of(a) == answer_of("abcdefgh", 6));
  CHECK(bench.text_of(b) == answer_of("ijklmno", 6));
  CHECK(bench.engine.request(b).preemptions == 1);
  CHECK(bench.count<RequestPreempted>() == 1);
}

TEST_CASE("a preempted request says how many computed tokens it lost, after its blocks went back") {
  Bench bench(5);
  bench.engine.submit(ask("abcdefgh", 6));
  const RequestId b = bench.engine.submit(ask("ijklmno", 6));
  bench.step();
  bench.step();
  const std::size_t seen = bench.sink.events.size();
  bench.step();
  CHECK_THAT(names_of(bench.sink.events, seen),
             contains("StepStarted BlockReleased BlockReleased RequestPreempted KvComputed"));
  const auto& preempted = std::get<RequestPreempted>(bench.sink.events[seen + 3]);
  CHECK(preempted.request == b);
  CHECK(preempted.lost_tokens == 8);
}

TEST_CASE("a preempted request goes before those that wait, and the older of two before the newer") {
  Bench bench(6, {.max_running = 3, .token_budget = 100});
  for (const char* prompt : {"abcdefgh", "ijkl", "mnop", "q"}) bench.engine.submit(ask(prompt, 8));
  const RequestId b{1}, c{2}, d{3};
  while (bench.status(c) != "preempted" || bench.status(b) != "preempted") REQUIRE(bench.step());
  CHECK(bench.status(d) == "waiting");
  while (bench.status(b) == "preempted") REQUIRE(bench.step());
  CHECK(bench.status(c) != "finished");
  bench.run();
  const World& world = bench.world_check.world();
  CHECK(world.request(d).admitted_step >= world.request(c).admitted_step);
  CHECK(world.request(c).admitted_step >= world.request(b).admitted_step);
}

// --- abort

TEST_CASE("a request is aborted while it waits, runs, or is preempted; its blocks go back") {
  Bench bench(5, {.max_running = 2, .token_budget = 100});
  const RequestId a = bench.engine.submit(ask("abcdefgh", 6));
  const RequestId b = bench.engine.submit(ask("ijklmno", 6));
  const RequestId c = bench.engine.submit(ask("p", 2));
  CHECK(bench.engine.abort(c));  // waiting
  bench.check();
  CHECK(bench.status(c) == "aborted");
  while (bench.status(b) != "preempted") bench.step();
  CHECK(bench.engine.abort(b));  // preempted
  bench.check();
  const std::size_t seen = bench.sink.events.size();
  CHECK(bench.engine.abort(a));  // running
  bench.check();
  CHECK(names_of(bench.sink.events, seen) == "BlockReleased BlockReleased BlockReleased RequestAborted");
  CHECK(bench.engine.pool().num_free() == 5);
  CHECK(bench.engine.idle());
  CHECK(bench.engine.request(b).text == answer_of("ijklmno", 2));  // what there was remains
}

TEST_CASE("aborting what has ended does nothing; an id that was never given is misuse") {
  Bench bench(4);
  const RequestId a = bench.engine.submit(ask("abc", 1));
  bench.run();
  const std::size_t events = bench.sink.events.size();
  CHECK_FALSE(bench.engine.abort(a));
  CHECK(bench.engine.abort(bench.engine.submit(ask("abc", 1))));
  CHECK_FALSE(bench.engine.abort(RequestId{1}));
  CHECK_THROWS_AS(bench.engine.abort(RequestId{2}), MisuseError);
  CHECK_THROWS_AS(bench.engine.request(RequestId{2}), MisuseError);
  CHECK(bench.sink.events.size() == events + 2);  // arrived, aborted
}

TEST_CASE("a plan that an abort has made impossible is refused, and nothing changes") {
  Bench bench(4);
  bench.engine.submit(ask("abc", 2));
  const RequestId b = bench.engine.submit(ask("def", 2));
  const StepPlan plan = bench.engine.plan();
  bench.engine.abort(b);
  const std::size_t events = bench.sink.events.size();
  CHECK_THROWS_AS(bench.engine.apply(plan), MisuseError);
  CHECK(bench.sink.events.size() == events);
  bench.check();
  bench.run();
}

// --- failures

TEST_CASE("when the model fails in a step no token of the step counts, and the step can be tried again") {
  for (const int failing : {1, 2, 3}) {
    for (const int kind : {0, 1, 2}) {
      Bench bench(5);
      const RequestId a = bench.engine.submit(ask("abcdefgh", 4));
      const RequestId b = bench.engine.submit(ask("ijklmno", 4));
      (kind == 0 ? bench.runner.fail_at : kind == 1 ? bench.runner.short_at : bench.runner.nan_at) = failing;
      for (int step = 1; step < failing; ++step) bench.step();
      const std::vector<TokenId> before = bench.engine.request(a).tokens;
      CHECK_THROWS(bench.engine.step());
      bench.check();
      CHECK(bench.engine.request(a).tokens == before);
      CHECK(bench.engine.table(a)->num_tokens() + 1 == (failing == 1 ? 1 : before.size()));
      bench.run();
      CHECK(bench.text_of(a) == answer_of("abcdefgh", 4));
      CHECK(bench.text_of(b) == answer_of("ijklmno", 4));
    }
  }
}

TEST_CASE("logits that are not numbers name the request; it can be aborted, and the others go on") {
  Bench bench(5);
  const RequestId a = bench.engine.submit(ask("abc", 3));
  const RequestId b = bench.engine.submit(ask("def", 3));
  bench.runner.nan_at = 2;
  bench.step();
  CHECK_THROWS_WITH(bench.engine.step(), contains("request B gets no token") && contains("NaN"));
  CHECK(bench.engine.abort(b));
  bench.run();
  CHECK(bench.text_of(a) == answer_of("abc", 3));
}

TEST_CASE("a failed draw does not use up random numbers") {
  RequestSpec spec = ask("abc", 8);
  spec.sampling = {.temperature = 3, .top_k = 0, .top_p = 1, .seed = 3};
  std::string undisturbed;
  for (const int nan_at : {0, 3}) {
    Bench bench(8);
    const RequestId a = bench.engine.submit(spec);
    bench.engine.submit(ask("x", 8));  // the NaN is in the last row: A has drawn before it is found
    bench.runner.nan_at = nan_at;
    for (int step = 1; step < 3; ++step) bench.step();
    if (nan_at == 3) CHECK_THROWS(bench.engine.step());
    bench.run();
    if (nan_at == 0) undisturbed = bench.text_of(a);
    CHECK(bench.text_of(a) == undisturbed);
  }
}

TEST_CASE("a scheduler that makes no progress is an error, not an endless loop") {
  class Idler : public Scheduler {
    StepPlan plan(const SchedulerView&) const override { return {}; }
    std::string name() const override { return "idle"; }
  };
  FakeRunner runner;
  LetterText text;
  VectorSink sink;
  const Idler idler;
  Engine engine({4, ascending_order(4), {}, {}}, runner, idler, text, sink);
  CHECK_FALSE(engine.step());
  engine.submit(ask("abc", 1));
  CHECK_THROWS_WITH(engine.step(), contains("no progress") && contains("1 wait") && contains("4 of 4 blocks are free"));
}

TEST_CASE("a plan may compute a part of a prompt: no token is sampled before the last part") {
  Bench bench(4);
  const RequestId a = bench.engine.submit(ask("abcdef", 2));
  bench.engine.apply({{}, {a}, {{a, 4}}});
  bench.check();
  CHECK(bench.engine.table(a)->show() == "[0] 4 tokens");
  CHECK(bench.engine.request(a).generated().empty());
  bench.run();
  CHECK(bench.text_of(a) == answer_of("abcdef", 2));
}

// --- the whole

TEST_CASE("requests leave nothing behind but their results") {
  Bench bench(8);
  for (int i = 0; i < 1000; ++i) {
    bench.engine.submit(ask("ab", 1));
    if (i % 100 == 99) bench.run();
  }
  CHECK(bench.engine.num_live() == 0);
  CHECK(bench.engine.pool().num_free() == 8);
  CHECK(bench.count<RequestFinished>() == 1000);
}

TEST_CASE("random arrivals, aborts and tiny pools: the World equals the engine after every step") {
  std::size_t preemptions = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned bound) { return static_cast<std::uint32_t>(random() % bound); };
    const std::uint32_t blocks = 2 + below(8);
    Bench bench(blocks, {.max_running = 1 + below(5), .token_budget = 6 + below(20)}, 40);
    std::vector<std::string> prompts;
    for (int round = 0; round < 60; ++round) {
      if (below(3) == 0) {
        std::string prompt(1 + below(12), 'a');
        for (char& letter : prompt) letter = static_cast<char>('a' + below(26));
        try {
          bench.engine.submit(ask(prompt, 1 + below(12)));
          prompts.push_back(prompt);
        } catch (const InputError&) {  // larger than this pool
        }
      }
      if (!prompts.empty() && below(8) == 0) {
        bench.engine.abort(RequestId{below(static_cast<unsigned>(prompts.size()))});
      }
      if (below(20) == 0) bench.runner.fail_at = bench.runner.forwards + 1;
      try {
        bench.step();
      } catch (const std::runtime_error&) {
        bench.check();
      }
    }
    bench.runner.fail_at = 0;
    bench.run();
    CHECK(bench.engine.pool().num_free() == blocks);
    for (std::uint32_t i = 0; i < prompts.size(); ++i) {
      const Request& request = bench.engine.request(RequestId{i});
      CHECK(request.text == answer_of(prompts[i], request.generated().size()));
      CHECK((request.status == RequestStatus::aborted || request.generated().size() == request.max_new_tokens ||
             request.tokens.size() == 40));
    }
    preemptions += bench.count<RequestPreempted>();
  }
  CHECK(preemptions > 100);  // or these pools are not tiny
}
