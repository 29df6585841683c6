#include "core/engine.h"

#include <random>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

TEST_CASE("an engine announces the model and the pool, and has nothing to do") {
  Bench bench(4);
  CHECK(names_of(bench.sink.events, 0) == "PoolCreated ModelDescribed SchedulerDescribed");
  CHECK(bench.engine.idle());
  CHECK_FALSE(bench.step());
  CHECK(bench.sink.events.size() == 3);
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
  CHECK(names_of(bench.sink.events, 3) == "TokenNamed TokenNamed RequestArrived");
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
  ContinuousScheduler scheduler;
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
