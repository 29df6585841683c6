// Rounds of drafts in the engine, one difficulty a case.

#include <array>

#include "core/error.h"
#include "core/speculation/chi_square.h"
#include "core/speculation/draft_model.h"
#include "core/speculation/ngram.h"
#include "tests/support/speculation_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0}, kB{1};

/// All drafts of these prompts' answers are right, k a round.
struct AllRight {
  AllRight(const std::vector<std::string>& prompts, std::uint32_t k, std::uint32_t num_blocks = 16,
           std::uint32_t context = 64, StepLimits limits = {})
      : proposer(oracle(prompts, always_right(k))), bench(26, context, config(k, num_blocks, limits)) {}
  EngineConfig config(std::uint32_t k, std::uint32_t num_blocks, StepLimits limits) {
    EngineConfig config = speculating(proposer.get(), k, ascending_order(num_blocks));
    config.limits = limits;
    return config;
  }

  std::unique_ptr<OracleProposer> proposer;
  SpeculationBench bench;
};

std::size_t drafted(const SpeculationBench& bench) { return bench.world().speculation.drafted; }

}  // namespace

TEST_CASE("a plan says how many drafts are verified, and reserves their slots") {
  AllRight r({"abcde"}, 3);
  r.bench.engine.submit(ask("abcde", 20));
  CHECK(show(r.bench.engine.plan()) == "admit A | compute A:5");
  r.bench.step();
  CHECK(show(r.bench.engine.plan()) == "compute A:1+3");
}

TEST_CASE("the answer ends with as many tokens as were asked for, in the middle of a draft or not") {
  const std::uint32_t wanted = GENERATE(1, 2, 3, 4, 5, 6);
  AllRight r({"abcde"}, 4);
  r.bench.engine.submit(ask("abcde", wanted));
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcde", wanted));
  CHECK(r.bench.engine.request(kA).finish_reason == FinishReason::max_tokens);
}

TEST_CASE("no draft is made for a token behind which none is asked for") {
  AllRight r({"abcde"}, 4);
  r.bench.engine.submit(ask("abcde", 3));  // the prompt gives one, and a pass over one draft the other two
  r.bench.run();
  CHECK(drafted(r.bench) == 1);
  CHECK(r.bench.runner.forwards == 2);
}

TEST_CASE("the context ends inside a draft") {
  AllRight r({"abcde"}, 4, 16, 9);
  r.bench.engine.submit(ask("abcde", 30));
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcde", 4));
  CHECK(r.bench.engine.request(kA).finish_reason == FinishReason::context_full);
}

TEST_CASE("a stop string inside a draft ends the answer there, and nothing behind it is kept") {
  const std::string answer = answer_of("abcde", 5);
  AllRight r({"abcde"}, 4);
  RequestSpec spec = ask("abcde", 30);
  spec.stop_strings = {answer.substr(2, 2)};
  r.bench.engine.submit(spec);
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer.substr(0, 2));
  CHECK(r.bench.engine.request(kA).generated().size() == 4);
  CHECK(r.bench.engine.request(kA).finish_reason == FinishReason::stop_string);
  CHECK(r.bench.engine.pool().num_free() == 16);
}

TEST_CASE("an end token inside a draft ends the answer") {
  const std::string answer = answer_of("abcde", 5);
  AllRight r({"abcde"}, 4);
  RequestSpec spec = ask("abcde", 30);
  spec.end_tokens = {tokens_of(answer)[2]};
  r.bench.engine.submit(spec);
  r.bench.run();
  CHECK(r.bench.engine.request(kA).finish_reason == FinishReason::end_of_sequence);
  CHECK(r.bench.text_of(kA) == answer.substr(0, answer.find(answer[2]) + 1));
}

TEST_CASE("drafts take what budget is left, and keep nobody waiting") {
  AllRight r({"abcde", "vwxyz"}, 5, 16, 64, {.max_running = 2, .token_budget = 7});
  r.bench.engine.submit(ask("abcde", 20));
  r.bench.step();
  r.bench.engine.submit(ask("vwxyz", 20));
  CHECK(show(r.bench.engine.plan()) == "admit B | compute A:1+1 B:5");
  r.bench.step();
  CHECK(show(r.bench.engine.plan()) == "compute A:1+5 B:1");
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcde", 20));
  CHECK(r.bench.text_of(kB) == answer_of("vwxyz", 20));
}

TEST_CASE("drafts take what blocks are left, and preempt nobody") {
  AllRight r({"abcd", "wxyz"}, 3, 3);
  r.bench.engine.submit(ask("abcd", 5));
  r.bench.engine.submit(ask("wxyz", 5));
  r.bench.step();
  CHECK(r.bench.engine.pool().num_free() == 1);
  // A's newest token takes the last block; B has none for itself, and waits again. A step that preempts has no drafts.
  CHECK(show(r.bench.engine.plan()) == "preempt B | compute A:1");
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcd", 5));
  CHECK(r.bench.text_of(kB) == answer_of("wxyz", 5));
}

TEST_CASE("k = 3 needs four slots a request: a plan that has fewer drafts less") {
  AllRight r({"abc", "xyz"}, 3, 3);  // 12 slots
  r.bench.engine.submit(ask("abc", 5));
  r.bench.engine.submit(ask("xyz", 5));
  r.bench.step();
  CHECK(r.bench.engine.pool().num_free() == 1);
  CHECK(show(r.bench.engine.plan()) == "compute A:1+3 B:1");  // positions 3 to 6 and 3: one block more for A
  r.bench.run();
  CHECK(r.bench.text_of(kB) == answer_of("xyz", 5));
}

TEST_CASE("a request that is preempted keeps no drafts, and goes on as if there had been none") {
  AllRight r({"abcd", "wxyz"}, 3, 4);
  r.bench.engine.submit(ask("abcd", 11));
  r.bench.engine.submit(ask("wxyz", 11));
  while (r.bench.engine.request(kB).status != RequestStatus::preempted) REQUIRE(r.bench.step());
  CHECK_FALSE(r.bench.world().request(kB).round);
  CHECK(r.bench.world().request(kB).draft_cached == 0);
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcd", 11));
  CHECK(r.bench.text_of(kB) == answer_of("wxyz", 11));
}

TEST_CASE("candidates share the prompt, copy its partial block, and are drafted for separately") {
  AllRight r({"abcde"}, 3);
  RequestSpec spec = ask("abcde", 9);
  spec.candidates = 2;
  r.bench.engine.submit(spec);
  r.bench.step();
  CHECK(show(r.bench.engine.plan()) == "compute A:1+3 B:1+3");
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcde", 9));
  CHECK(r.bench.text_of(kB) == answer_of("abcde", 9));
  CHECK(r.bench.world().copies.blocks == 1);
}

TEST_CASE("a fork between two rounds shares what is kept, not what was stale") {
  auto proposer = oracle({"abcde"}, always_right(1));
  SpeculationBench bench(26, 64, speculating(proposer.get(), 3, ascending_order(16)));
  bench.engine.submit(ask("abcde", 12));
  bench.step();
  bench.step();
  bench.engine.fork(kA, 5);
  bench.run();
  CHECK(bench.text_of(kA) == answer_of("abcde", 12));
  CHECK(bench.text_of(kB) == answer_of("abcde", 12));
}

TEST_CASE("when the pass fails, the drafts are gone, their slots too, and the step can be tried again") {
  AllRight r({"abcde"}, 3);
  r.bench.engine.submit(ask("abcde", 9));
  r.bench.step();
  const std::string before = r.bench.table(kA);
  r.bench.runner.fail_at = 2;
  CHECK_THROWS_WITH(r.bench.engine.step(), "the device was lost");
  CHECK(r.bench.table(kA) == before);
  CHECK(r.bench.engine.pool().num_free() == 14);
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of("abcde", 9));
}

TEST_CASE("an abort between two rounds gives back everything, the draft model's cache too") {
  FakeRunner small;
  DraftModel model(small, 32, 2);
  SpeculationBench bench(26, 64, speculating(&model, 3, ascending_order(16)));
  bench.engine.submit(ask("abcde", 9));
  bench.step();
  bench.step();
  CHECK(bench.world().request(kA).draft_cached == 8);  // prompt, newest token and two of three drafts
  bench.engine.abort(kA);
  bench.world_check(bench.sink, bench.engine);
  CHECK(bench.world().request(kA).draft_cached == 0);
  CHECK(model.pool().num_free() == 32);
}

TEST_CASE("the proposer's work is counted apart") {
  const PositionHeads heads(26);
  MedusaProposer medusa(heads);
  SpeculationBench bench(26, 64, speculating(&medusa, 3, ascending_order(16)));
  bench.engine.submit(ask("abcde", 4));
  bench.run();
  CHECK(bench.world().speculation.work.flops > 0);
  CHECK(bench.world().work.flops == 0);
}

TEST_CASE("a proposer that does not fit, and lengths out of range, are refused before anything is made") {
  FakeRunner small(64, 25);
  DraftModel model(small, 8, 2);
  const auto make = [](EngineConfig config) { SpeculationBench(26, 64, std::move(config)); };
  CHECK_THROWS_WITH(make(speculating(&model, 3, ascending_order(4))), contains("the draft model knows 25 tokens"));
  NgramProposer ngram;
  CHECK_THROWS_WITH(make(speculating(&ngram, 0, ascending_order(4))), contains("0 drafts a round"));
  CHECK_THROWS_AS(make(speculating(&ngram, 129, ascending_order(4))), InputError);
}

TEST_CASE("a plan with more drafts than a request wants is impossible") {
  AllRight r({"abcde"}, 3);
  r.bench.engine.submit(ask("abcde", 9));
  CHECK_THROWS_WITH(r.bench.engine.apply({{}, {kA}, {{kA, 5, 1}}}), contains("verifies 1 drafts"));
  r.bench.step();
  CHECK_THROWS_WITH(r.bench.engine.apply({{}, {}, {{kA, 1, 4}}}), contains("verifies 4 drafts"));
  r.bench.engine.apply({{}, {}, {{kA, 1, 2}}});
  CHECK(r.bench.text_of(kA) == answer_of("abcde", 4));
}

TEST_CASE("sampled through the engine, three tokens have the target's joint distribution") {
  constexpr int kDraws = 6000;
  constexpr std::uint32_t kVocab = 3;
  const SamplingParams warm{.temperature = 1};
  const auto next = [&](const std::vector<TokenId>& tokens) {
    return distribution(varied_logits(tokens, kVocab), warm);
  };
  FakeRunner target(64, kVocab);
  MistakenRunner small(64, kVocab);
  target.varied = small.varied = true;
  DraftModel model(small, 32, 2);
  EngineConfig config = speculating(&model, 2, ascending_order(8));
  NullSink sink;
  const LetterText text;
  const ContinuousScheduler scheduler;
  Engine engine(config, target, scheduler, text, sink);
  std::vector<std::uint64_t> counts(27, 0);
  for (int i = 0; i < kDraws; ++i) {
    RequestSpec spec = ask("ab", 4);
    spec.sampling = warm;
    spec.sampling.seed = static_cast<std::uint64_t>(i);
    const RequestId id = engine.submit(spec);
    while (engine.step()) {
    }
    const auto said = engine.request(id).generated();
    ++counts[index(said[1]) * 9 + index(said[2]) * 3 + index(said[3])];  // behind the first, which the prompt gave
  }
  std::vector<double> law(27, 0.0);
  const std::vector<TokenId> prompt = tokens_of("ab");
  for (std::int32_t cell = 0; cell < 81; ++cell) {
    std::vector<TokenId> tokens = prompt;
    double p = 1;
    for (const std::int32_t token : {cell / 27, cell / 9 % 3, cell / 3 % 3, cell % 3}) {
      p *= next(tokens)[static_cast<std::size_t>(token)];
      tokens.push_back(TokenId{token});
    }
    law[static_cast<std::size_t>(cell % 27)] += p;
  }
  const ChiSquare result = chi_square(counts, law);
  INFO("chi-square " << result.statistic);
  CHECK(result.p_value > 1e-3);
}
