// The draft model's own cache: how much of it is kept after a round.

#include "core/speculation/draft_model.h"

#include "core/error.h"
#include "tests/support/speculation_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};

/// A draft model over the fake model, which agrees with itself; blocks of 2 tokens.
struct Drafter {
  explicit Drafter(std::uint32_t context = 64, std::uint32_t num_blocks = 32)
      : runner(context), model(runner, num_blocks, 2) {
    runner.on_read = [this](RequestId, std::span<const TokenId> cached) { read = cached.size(); };
  }
  std::string draft(const std::string& letters, std::uint32_t most) {
    text = tokens_of(letters);
    const std::vector<DraftRequest> requests{{kA, text, most, &sampler}};
    std::string drafted;
    const std::vector<TokenId> tokens = model.propose(requests).front().tokens;
    for (const TokenId token : tokens) drafted += static_cast<char>('a' + value(token));
    return drafted;
  }
  void settle(const std::string& tokens) { model.settle(kA, tokens_of(tokens), {}); }

  FakeRunner runner;
  DraftModel model;
  Sampler sampler{SamplingParams{}};
  std::vector<TokenId> text;
  std::size_t read = 0;  ///< tokens that the last pass saw
};

}  // namespace

TEST_CASE("k drafts take k passes: the prompt first, then one draft after another, but not the last one") {
  Drafter d;
  CHECK(d.draft("abcdef", 4) == answer_of("abcdef", 4));
  CHECK(d.runner.forwards == 4);
  CHECK(d.model.cached_tokens(kA) == 9);  // 6 + 3
}

TEST_CASE("a of 4 drafts accepted: what the draft model takes back") {
  const std::size_t accepted = GENERATE(0, 1, 3, 4);
  const std::string prompt = "abcdef", answer = answer_of(prompt, 5);
  Drafter d;
  d.draft(prompt, 4);
  const std::uint32_t before = d.model.cached_tokens(kA);
  // What takes the place of a rejected draft differs from it; behind four accepted ones comes the bonus token.
  const std::string next = accepted == 4 ? answer.substr(4) : answer[accepted] == 'z' ? "y" : "z";
  const std::string after = prompt + answer.substr(0, accepted) + next;
  d.settle(after);
  const std::uint32_t trimmed = before - d.model.cached_tokens(kA);
  CHECK(trimmed == (accepted == 4 ? 0 : 3 - accepted));
  // The next pass reads the newest token; after a full acceptance also the last draft, which it never read.
  d.runner.forwards = 0;
  d.draft(after, 1);
  CHECK(d.read == after.size());
  CHECK(after.size() - (before - trimmed) == (accepted == 4 ? 2 : 1));
}

TEST_CASE("after a full acceptance the draft model is one token short, and reads two in the next round") {
  Drafter d;
  const std::string prompt = "abcd", answer = answer_of(prompt, 8);
  d.draft(prompt, 3);
  const std::string after = prompt + answer.substr(0, 4);  // three drafts and the bonus token
  d.settle(after);
  CHECK(d.model.cached_tokens(kA) == after.size() - 2);
  CHECK(d.draft(after, 3) == answer.substr(4, 3));
}

TEST_CASE("a round that is given up takes back nothing twice") {
  Drafter d;
  const std::string prompt = "abcd", answer = answer_of(prompt, 8);
  d.draft(prompt, 3);
  const std::string after = prompt + answer.substr(0, 4);
  d.settle(after);
  d.draft(after, 1);  // and then no verdict: the same tokens again
  CHECK(d.model.cached_tokens(kA) == after.size());
  CHECK(d.draft(after, 3) == answer.substr(4, 3));
}

TEST_CASE("a pass that fails leaves a draft model that can be asked again") {
  Drafter d;
  d.runner.fail_at = 2;
  CHECK_THROWS_WITH(d.draft("abcdef", 4), "the device was lost");
  CHECK(d.draft("abcdef", 4) == answer_of("abcdef", 4));
}

TEST_CASE("its blocks are its own: another size, another pool, given back at the end") {
  Drafter d;
  d.draft("abcde", 2);
  CHECK(d.model.cached_tokens(kA) == 6);
  CHECK(d.model.pool().num_free() == 32 - 3);
  d.model.forget(kA);
  CHECK(d.model.pool().num_free() == 32);
  CHECK(d.model.cached_tokens(kA) == 0);
}

TEST_CASE("a full pool or a short context makes drafts shorter, and at last none") {
  Drafter small(64, 3);                        // 6 slots
  CHECK(small.draft("abcde", 4).size() == 2);  // reads a to e and one draft
  CHECK(small.draft("abcdef", 4).size() == 1);
  CHECK(small.draft("abcdefg", 4).empty());
  Drafter brief(6);
  CHECK(brief.draft("abcde", 4).size() == 2);
  CHECK(brief.draft("abcdefg", 4).empty());
}

TEST_CASE("two requests are drafted for in the same passes") {
  Drafter d;
  const std::vector<TokenId> a = tokens_of("abc"), b = tokens_of("xyzxy");
  const std::vector<DraftRequest> requests{{kA, a, 2, &d.sampler}, {RequestId{1}, b, 3, &d.sampler}};
  const std::vector<Draft> drafts = d.model.propose(requests);
  CHECK(drafts[0].tokens == tokens_of(answer_of("abc", 2)));
  CHECK(drafts[1].tokens == tokens_of(answer_of("xyzxy", 3)));
  CHECK(d.runner.forwards == 3);
  CHECK(drafts[1].work.kv_projections == 7);  // 5 + 1 + 1
}

TEST_CASE("where the request samples, drafts are drawn, and their distributions go with them") {
  Drafter d;
  d.sampler = Sampler({.temperature = 1});
  d.text = tokens_of("abc");
  const std::vector<DraftRequest> requests{{kA, d.text, 2, &d.sampler}};
  const Draft draft = d.model.propose(requests).front();
  REQUIRE(draft.probabilities.size() == 2);
  CHECK(draft.probabilities[0].size() == 26);
  CHECK(draft.probabilities[1][index(draft.tokens[1])] > 0);
}

TEST_CASE("a draft model with another vocabulary does not fit") {
  Drafter d;
  ModelShape target = d.runner.shape();
  d.model.expect_fits(target);
  target.vocab = 27;
  CHECK_THROWS_WITH(d.model.expect_fits(target), contains("knows 26 tokens, the target 27"));
}
