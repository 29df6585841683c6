#include "core/engine.h"

#include <algorithm>
#include <random>

#include "core/error.h"
#include "core/scheduling/first_come_scheduler.h"
#include "tests/support/catch.h"
#include "tests/support/engine_checks.h"
#include "tests/support/fake_runner.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

RequestSpec ask(const std::string& prompt, std::uint32_t max_new_tokens) {
  RequestSpec spec;
  spec.prompt = tokens_of(prompt);
  spec.max_new_tokens = max_new_tokens;
  return spec;
}

// An engine over the fake model, blocks of 4 tokens; every step is checked against the World.
struct Bench {
  explicit Bench(std::uint32_t num_blocks, StepLimits limits = {}, std::uint32_t context = 64)
      : runner(context), engine(config(num_blocks, limits), runner, scheduler, text, sink) {}

  EngineConfig config(std::uint32_t num_blocks, StepLimits limits) {
    return {4, ascending_order(num_blocks), limits, [this] { return now += 1000; }};
  }
  bool step() {
    const bool more = engine.step();
    check();
    return more;
  }
  void run() {
    while (step()) {
    }
  }
  void check() { world_check(sink, engine); }
  std::string plan() const { return show(engine.plan()); }
  std::string text_of(RequestId id) const { return engine.request(id).text; }
  std::string status(RequestId id) const {
    const char* const names[] = {"waiting", "running", "preempted", "finished", "aborted"};
    return names[static_cast<int>(engine.request(id).status)];
  }
  template <typename T>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(sink.events.begin(), sink.events.end(),
                                                  [](const Event& event) { return std::holds_alternative<T>(event); }));
  }

  std::uint64_t now = 0;
  VectorSink sink;
  FakeRunner runner;
  FirstComeScheduler scheduler;
  LetterText text;
  Engine engine;
  WorldCheck world_check;
};

std::string names_of(const std::vector<Event>& events, std::size_t first) {
  static const char* const kNames[] = {
      "ModelDescribed",   "PoolCreated",     "ArenaCreated",   "TokenNamed",     "RequestArrived", "RequestAdmitted",
      "RequestPreempted", "RequestFinished", "RequestAborted", "BlockAllocated", "BlockShared",    "BlockReleased",
      "RegionReserved",   "RegionReleased",  "StepStarted",    "KvComputed",     "KvRead",         "TokenSampled",
      "RolledBack",       "WorkCounted",     "StepTimed"};
  std::string text;
  for (std::size_t i = first; i < events.size(); ++i) {
    text += (text.empty() ? "" : " ") + std::string(kNames[events[i].index()]);
  }
  return text;
}

}  // namespace

TEST_CASE("an engine announces the model and the pool, and has nothing to do") {
  Bench bench(4);
  CHECK(names_of(bench.sink.events, 0) == "PoolCreated ModelDescribed");
  CHECK(bench.engine.idle());
  CHECK_FALSE(bench.step());
  CHECK(bench.sink.events.size() == 2);
}

TEST_CASE("a request waits, runs, and finishes with its answer") {
  Bench bench(4);
  const RequestId a = bench.engine.submit(ask("abcde", 3));
  bench.check();
  CHECK(bench.status(a) == "waiting");

  CHECK(bench.step());  // the prompt: 5 tokens, 2 blocks; the first new token comes from the same step
  CHECK(bench.status(a) == "running");
  CHECK(bench.engine.table(a)->show() == "[0,1] 5 tokens");
  CHECK(bench.text_of(a) == answer_of("abcde", 1));

  CHECK(bench.step());  // that token is fed: now it has K and V
  CHECK(bench.engine.table(a)->show() == "[0,1] 6 tokens");
  CHECK(bench.step());
  CHECK(bench.status(a) == "finished");
  CHECK(bench.engine.request(a).finish_reason == FinishReason::max_tokens);
  CHECK(bench.text_of(a) == answer_of("abcde", 3));
  CHECK(bench.engine.table(a) == nullptr);
  CHECK(bench.engine.pool().show() == "free 2 3 1 0 | used");  // tail first
  CHECK_FALSE(bench.step());
}

TEST_CASE("the events of a step come in their order") {
  Bench bench(4);
  bench.engine.submit(ask("aab", 2));
  CHECK(names_of(bench.sink.events, 2) == "TokenNamed TokenNamed RequestArrived");
  std::size_t seen = bench.sink.events.size();
  bench.step();
  const std::string sampled = answer_of("aab", 1);
  REQUIRE(sampled.find_first_of("ab") == std::string::npos);  // a new token: it is named
  CHECK(names_of(bench.sink.events, seen) ==
        "StepStarted RequestAdmitted BlockAllocated KvComputed KvRead WorkCounted TokenNamed TokenSampled StepTimed");
  seen = bench.sink.events.size();
  bench.step();
  CHECK_THAT(names_of(bench.sink.events, seen), contains("TokenSampled BlockReleased RequestFinished StepTimed"));
}

TEST_CASE("every token is named once, before it is used") {
  Bench bench(16);
  for (int i = 0; i < 4; ++i) bench.engine.submit(ask("abcabc", 6));
  bench.run();
  std::vector<bool> named(26, false);
  for (const Event& event : bench.sink.events) {
    if (const auto* name = std::get_if<TokenNamed>(&event)) {
      CHECK_FALSE(named.at(index(name->token)));
      named[index(name->token)] = true;
      CHECK(name->text == bench.text.piece({}, name->token));
    }
    if (const auto* arrived = std::get_if<RequestArrived>(&event)) {
      for (const TokenId token : arrived->prompt) CHECK(named[index(token)]);
    }
    if (const auto* sampled = std::get_if<TokenSampled>(&event)) CHECK(named[index(sampled->token)]);
  }
}

TEST_CASE("prefill computes the prompt at once, decode one token, and each step is timed by the clock") {
  Bench bench(4);
  bench.engine.submit(ask("abcde", 2));
  bench.run();
  std::vector<std::string> computed;
  for (const Event& event : bench.sink.events) {
    if (const auto* e = std::get_if<KvComputed>(&event)) {
      computed.push_back(std::string(e->phase == Phase::prefill ? "prefill " : "decode ") + std::to_string(e->first) +
                         "+" + std::to_string(e->count));
    }
    if (const auto* e = std::get_if<StepTimed>(&event)) CHECK((e->nanoseconds == 1000 && !e->simulated));
  }
  CHECK(computed == std::vector<std::string>{"prefill 0+5", "decode 5+1"});
  CHECK(bench.world_check.world().work.kv_projections == 6);
  CHECK(bench.count<StepTimed>() == 2);
}

TEST_CASE("what is computed again after a preemption is prefill, the generated tokens too") {
  Bench bench(4);
  const RequestId a = bench.engine.submit(ask("ab", 9));
  for (int step = 0; step < 4; ++step) bench.step();
  REQUIRE(bench.engine.request(a).tokens.size() == 6);
  bench.engine.apply({{a}, {}, {}});
  bench.engine.apply({{}, {a}, {{a, 4}}});
  bench.engine.apply({{}, {}, {{a, 2}}});  // positions 4 and 5, both generated
  bench.check();
  CHECK(bench.world_check.world().request(a).phase == Phase::prefill);
  bench.step();
  CHECK(bench.world_check.world().request(a).phase == Phase::decode);
  bench.run();
  CHECK(bench.text_of(a) == answer_of("ab", 9));
}

TEST_CASE("several requests run side by side, and each gets the answer it would get alone") {
  Bench bench(16);
  const std::vector<std::string> prompts{"abcdefghij", "kl", "mnopq"};
  for (const std::string& prompt : prompts) bench.engine.submit(ask(prompt, 7));
  CHECK(bench.plan() == "admit A B C | compute A:10 B:2 C:5");
  bench.run();
  for (std::uint32_t i = 0; i < prompts.size(); ++i) CHECK(bench.text_of(RequestId{i}) == answer_of(prompts[i], 7));
}

TEST_CASE("the sampled stream of a request depends on its seed alone, not on its neighbours") {
  const auto warm = [](std::uint64_t seed) {
    RequestSpec spec = ask("abc", 12);
    spec.sampling = {.temperature = 2, .top_k = 0, .top_p = 1, .seed = seed};
    return spec;
  };
  Bench alone(16);
  const RequestId a = alone.engine.submit(warm(5));
  alone.run();
  Bench crowd(5);  // and preempted in between
  crowd.engine.submit(ask("xyz", 9));
  const RequestId b = crowd.engine.submit(warm(5));
  const RequestId c = crowd.engine.submit(warm(6));
  crowd.run();
  CHECK(crowd.engine.request(b).preemptions + crowd.engine.request(c).preemptions > 0);
  CHECK(crowd.text_of(b) == alone.text_of(a));
  CHECK(crowd.text_of(c) != alone.text_of(a));

  // What one sampler draws, one token after another, outside of any engine.
  Sampler sampler(warm(5).sampling);
  std::vector<TokenId> tokens = tokens_of("abc");
  for (int i = 0; i < 12; ++i) {
    std::vector<float> logits(26, 0.0F);
    logits[index(next_token(tokens, 26))] = FakeRunner::kTopLogit;
    tokens.push_back(sampler.sample(logits));
  }
  CHECK(alone.engine.request(a).tokens == tokens);
}

// --- the end of an answer

TEST_CASE("an end token ends the answer") {
  const std::string answer = answer_of("abc", 5);
  RequestSpec spec = ask("abc", 9);
  spec.end_tokens = tokens_of(answer.substr(4));
  const std::size_t first = answer.find(answer[4]);  // it may have occurred before
  Bench bench(4);
  const RequestId a = bench.engine.submit(spec);
  bench.run();
  CHECK(bench.engine.request(a).finish_reason == FinishReason::end_of_sequence);
  CHECK(bench.engine.request(a).generated().size() == first + 1);
}

TEST_CASE("a stop string ends the answer before itself, also when it spans tokens") {
  const std::string answer = answer_of("abc", 6);
  RequestSpec spec = ask("abc", 9);
  spec.stop_strings = {"never", answer.substr(3, 3)};  // three tokens of one letter each
  Bench bench(4);
  const RequestId a = bench.engine.submit(spec);
  bench.run();
  CHECK(bench.engine.request(a).finish_reason == FinishReason::stop_string);
  CHECK(bench.text_of(a) == answer.substr(0, 3));
  CHECK(bench.engine.request(a).generated().size() == 6);  // the tokens were sampled all the same
}

TEST_CASE("the prompt is not searched for stop strings") {
  RequestSpec spec = ask("abc", 3);
  spec.stop_strings = {"abc", "c" + answer_of("abc", 1)};
  Bench bench(4);
  const RequestId a = bench.engine.submit(spec);
  bench.run();
  CHECK(bench.engine.request(a).finish_reason == FinishReason::max_tokens);
}

TEST_CASE("the answer ends where the context is full") {
  Bench bench(4, {}, 8);
  const RequestId a = bench.engine.submit(ask("abcde", 100));
  bench.run();
  CHECK(bench.engine.request(a).finish_reason == FinishReason::context_full);
  CHECK(bench.engine.request(a).tokens.size() == 8);
}

// --- what can never be served

TEST_CASE("an impossible request is refused in one line, and nothing changes") {
  Bench bench(5, {}, 32);  // 20 slots
  const RequestId before = bench.engine.submit(ask("abc", 2));
  const std::size_t events = bench.sink.events.size();
  const auto refusal = [&](const RequestSpec& spec) -> std::string {
    std::string line;
    try {
      bench.engine.submit(spec);
    } catch (const InputError& error) {
      line = error.what();
    }
    CHECK(bench.sink.events.size() == events);
    CHECK(bench.engine.num_live() == 1);
    CHECK(line.find('\n') == std::string::npos);
    return line;
  };
  CHECK_THAT(refusal(ask("", 4)), contains("the prompt is empty"));
  CHECK_THAT(refusal(ask("abc", 0)), contains("0 new tokens"));
  CHECK_THAT(refusal(ask(std::string(20, 'a'), 1)), contains("21 tokens, 6 blocks of 4, but the pool has 5"));
  CHECK_THAT(refusal(ask("a", UINT32_MAX)), contains("32 tokens, 8 blocks"));  // min(prompt + new, context)
  CHECK_THAT(refusal(ask(std::string(32, 'a'), 1)), contains("32 tokens, the context of 32 leaves no room"));
  RequestSpec spec = ask("abc", 2);
  spec.prompt.push_back(TokenId{-1});
  CHECK_THAT(refusal(spec), contains("token -1 is outside the vocabulary, 0 to 25"));
  spec.prompt.back() = TokenId{26};
  CHECK_THAT(refusal(spec), contains("token 26 is outside"));
  spec = ask("abc", 2);
  spec.end_tokens = {TokenId{26}};
  CHECK_THAT(refusal(spec), contains("end token 26"));
  spec = ask("abc", 2);
  spec.stop_strings = {""};
  CHECK_THAT(refusal(spec), contains("stop string is empty"));
  spec = ask("abc", 2);
  spec.sampling.temperature = -1;
  CHECK_THAT(refusal(spec), contains("temperature"));

  bench.run();
  CHECK(bench.text_of(before) == answer_of("abc", 2));
}

TEST_CASE("prompt and answer may fill the pool to its last slot") {
  // 5 blocks of 4 are 20 tokens: no block is set aside (vLLM's null block would leave 16).
  Bench bench(5);
  const RequestId a = bench.engine.submit(ask(std::string(10, 'a'), 10));
  bench.run();
  CHECK(bench.engine.request(a).tokens.size() == 20);
}

TEST_CASE("a request that can never fit does not hold up those behind it") {
  Bench bench(5);
  CHECK_THROWS_AS(bench.engine.submit(ask(std::string(21, 'a'), 1)), InputError);
  const RequestId b = bench.engine.submit(ask("abcd", 2));
  bench.run();
  CHECK(bench.text_of(b) == answer_of("abcd", 2));
}

TEST_CASE("a config that cannot run is refused") {
  FakeRunner runner;
  FirstComeScheduler scheduler;
  LetterText text;
  NullSink sink;
  const auto make = [&](EngineConfig config) { Engine(std::move(config), runner, scheduler, text, sink); };
  CHECK_NOTHROW(make({4, ascending_order(4), {}, {}}));
  CHECK_THROWS_AS(make({0, ascending_order(4), {}, {}}), InputError);
  CHECK_THROWS_AS(make({4, {}, {}, {}}), InputError);
  CHECK_THROWS_AS(make({4, ascending_order(4), {.max_running = 0, .token_budget = 8}, {}}), InputError);
  CHECK_THROWS_AS(make({4, ascending_order(4), {.max_running = 9, .token_budget = 8}, {}}), InputError);
  CHECK_THROWS_AS(make({4, {BlockId{1}}, {}, {}}), MisuseError);
}

// --- preemption

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
