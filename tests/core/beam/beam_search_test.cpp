// Beam search over the fake model: its answers are those of a search that shares nothing and tries everything.

#include "core/beam/beam_search.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "tests/support/catch.h"
#include "tests/support/fake_runner.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr std::uint32_t kVocab = 4;
constexpr TokenId kEnd{0};

/// Folds what it receives, and checks every invariant after each event.
class CheckedWorld : public EventSink {
 public:
  void emit(Event event) override {
    fold(world, event);
    CHECK(violations(world) == std::vector<std::string>{});
  }
  World world;
};

struct Search {
  explicit Search(const std::string& prompt, const BeamParams& params, std::uint32_t num_blocks = 64)
      : runner(64, kVocab), pool(4, ascending_order(num_blocks), sink), beams(prepared(prompt, params)) {}
  BeamSearch prepared(const std::string& prompt, const BeamParams& params) {
    runner.varied = true;
    return {tokens_of(prompt), params, runner, pool, text, sink};
  }
  std::vector<BeamAnswer> run() {
    while (beams.step()) {
    }
    return beams.answers();
  }

  CheckedWorld sink;
  FakeRunner runner;
  LetterText text;
  BlockPool pool;
  BeamSearch beams;
};

struct Answer {
  std::vector<TokenId> tokens;
  double score;
};

/// Every answer there is, the best first.
void try_everything(std::vector<TokenId>& all, std::size_t prompt, double log_probability, const BeamParams& params,
                    std::vector<Answer>& answers) {
  const std::size_t length = all.size() - prompt;
  if (length > 0 && (all.back() == kEnd || length == params.max_new_tokens)) {
    answers.push_back({{all.begin() + static_cast<std::ptrdiff_t>(prompt), all.end()},
                       beam_score(log_probability, length, params.length_penalty)});
    return;
  }
  const std::vector<double> next = log_probabilities(varied_logits(all, kVocab));
  for (std::uint32_t v = 0; v < kVocab; ++v) {
    all.push_back(TokenId{static_cast<std::int32_t>(v)});
    try_everything(all, prompt, log_probability + next[v], params, answers);
    all.pop_back();
  }
}

/// The same search, without blocks and without sharing.
std::vector<Answer> search_alone(const std::string& prompt, const BeamParams& params) {
  struct Beam {
    std::vector<TokenId> tokens;
    double log_probability;
  };
  std::vector<Beam> beams{{tokens_of(prompt), 0.0}};
  std::vector<Answer> finished;
  for (std::uint32_t length = 1; length <= params.max_new_tokens && !beams.empty(); ++length) {
    std::vector<Beam> all;
    for (const Beam& beam : beams) {
      const std::vector<double> next = log_probabilities(varied_logits(beam.tokens, kVocab));
      for (std::uint32_t v = 0; v < kVocab; ++v) {
        all.push_back({beam.tokens, beam.log_probability + next[v]});
        all.back().tokens.push_back(TokenId{static_cast<std::int32_t>(v)});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Beam& a, const Beam& b) { return a.log_probability > b.log_probability; });
    beams.clear();
    for (std::size_t rank = 0; rank < all.size() && beams.size() < params.width; ++rank) {
      const bool is_end = all[rank].tokens.back() == kEnd;
      if (is_end && rank >= params.width) continue;
      if (is_end || length == params.max_new_tokens) {
        finished.push_back(
            {{all[rank].tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()), all[rank].tokens.end()},
             beam_score(all[rank].log_probability, length, params.length_penalty)});
      }
      if (!is_end) beams.push_back(all[rank]);
    }
  }
  std::stable_sort(finished.begin(), finished.end(),
                   [](const Answer& a, const Answer& b) { return a.score > b.score; });
  finished.resize(std::min<std::size_t>(finished.size(), params.width));
  return finished;
}

void check_same(const std::vector<BeamAnswer>& found, const std::vector<Answer>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("answer " << i);
    CHECK(found[i].tokens == expected[i].tokens);
    // The same sums in the same order: nothing is rounded differently.
    CHECK(found[i].score == expected[i].score);
    CHECK(found[i].finished);
  }
}

}  // namespace

TEST_CASE("as wide as there are answers, the search finds the best of all") {
  const double penalty = GENERATE(0.0, 1.0, 2.0);
  const BeamParams params{.width = 256, .max_new_tokens = 4, .length_penalty = penalty, .end_tokens = {kEnd}};
  std::vector<Answer> all;
  std::vector<TokenId> tokens = tokens_of("bcd");
  try_everything(tokens, 3, 0.0, params, all);
  std::stable_sort(all.begin(), all.end(), [](const Answer& a, const Answer& b) { return a.score > b.score; });
  const std::vector<BeamAnswer> found = Search("bcd", params, 1024).run();
  REQUIRE(found.size() >= 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(found[i].tokens == all[i].tokens);
}

TEST_CASE("case B36: beams that share blocks give the answers and scores of beams that share nothing") {
  for (const char* prompt : {"bcdbcd", "b", "cccc", "dcbdcbdcb"}) {
    for (const std::uint32_t width : {1U, 2U, 3U, 5U}) {
      for (const double penalty : {0.0, 1.0}) {
        INFO(prompt << ", " << width << " beams, penalty " << penalty);
        const BeamParams params{.width = width, .max_new_tokens = 7, .length_penalty = penalty, .end_tokens = {kEnd}};
        check_same(Search(prompt, params).run(), search_alone(prompt, params));
      }
    }
  }
}

TEST_CASE("two beams of a prompt of a block and a half share it; the first write copies the half block once") {
  Search search("bcdbcd", {.width = 2, .max_new_tokens = 4});
  search.beams.step();
  CHECK(search.pool.show().find("used 0x2 1x2") != std::string::npos);
  CHECK(search.sink.world.copies == CopyCounts{0, 0});
  search.beams.step();
  CHECK(search.sink.world.copies == CopyCounts{1, 2});
}

TEST_CASE("after the search no block is held, also when it is given up") {
  Search search("bcdbcd", {.width = 3, .max_new_tokens = 6});
  search.run();
  CHECK(search.pool.num_free() == 64);
  Search given_up("bcdbcd", {.width = 3, .max_new_tokens = 6});
  for (int i = 0; i < 3; ++i) given_up.beams.step();
  CHECK(given_up.beams.answers().size() == 3);
  CHECK_FALSE(given_up.beams.answers().front().finished);
  given_up.beams.abort();
  CHECK(given_up.pool.num_free() == 64);
  CHECK_FALSE(given_up.beams.step());
}

TEST_CASE("what cannot be searched is refused in one line") {
  CHECK_THROWS_WITH(Search("", {}), "the prompt is empty: give at least one token");
  CHECK_THROWS_WITH(Search("b", {.width = 0}), "0 beams: follow at least 1");
  CHECK_THROWS_WITH(Search("b", {.max_new_tokens = 0}), "0 new tokens: ask for at least 1");
  CHECK_THROWS_WITH(Search("z", {}), "token 25 is outside the vocabulary of 4");
  CHECK_THROWS_WITH(Search("b", {.max_new_tokens = 64}),
                    "prompt and answer may reach 65 tokens, the context has 64: ask for fewer");
  CHECK_THROWS_AS(Search("b", {.width = 20, .max_new_tokens = 15}), InputError);
}
