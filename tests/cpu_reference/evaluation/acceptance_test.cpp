#include "cpu_reference/evaluation/acceptance.h"

#include <memory>
#include <random>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/evaluation/speakers.h"
#include "tests/cpu_reference/evaluation/scripted_speaker.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/support/refusal.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::Approx;
using kvarium_test::contains;
using kvarium_test::letters;
using kvarium_test::random_model;
using kvarium_test::random_tokens;
using kvarium_test::refusal;
using kvarium_test::ScriptedSpeaker;
using kvarium_test::small_llama;
using kvarium_test::writer_of;

namespace {

std::vector<bool> bits(const std::string& text) {
  std::vector<bool> bits;
  for (const char letter : text) bits.push_back(letter == '1');
  return bits;
}

std::string show(const std::vector<bool>& agreed) {
  std::string text;
  for (const bool yes : agreed) text += yes ? '1' : '0';
  return text;
}

/// "accepted/rounds"
std::string in_rounds(const std::string& agreed, std::uint32_t k) {
  const TextSum sum = accepted_in_rounds(bits(agreed), k);
  return std::to_string(static_cast<int>(sum.sum)) + "/" + std::to_string(static_cast<int>(sum.count));
}

std::unique_ptr<Speaker> speaker_of(std::uint64_t seed) {
  const auto model = std::make_shared<const Model>(random_model(small_llama(), seed));
  return paged_speaker(std::make_unique<CpuRunner>(model, 1), 40, 4);
}

/// What a decoder would do: the draft writes k tokens, the target says which of them it would have written.
TextSum drafted_in_rounds(Speaker& draft, std::vector<TokenId> text, const std::vector<TokenId>& said,
                          std::uint32_t k) {
  TextSum result;
  for (std::size_t begin = 0; begin + k <= said.size();) {
    std::vector<TokenId> guesses;
    draft.begin();
    std::span<const float> logits = draft.hear(text);
    while (true) {
      guesses.push_back(argmax(logits));
      if (guesses.size() == k) break;
      logits = draft.hear(std::span(guesses).last(1));
    }
    std::size_t accepted = 0;
    while (accepted < k && guesses[accepted] == said[begin + accepted]) ++accepted;
    result.sum += static_cast<double>(accepted);
    ++result.count;
    for (std::size_t i = 0; i <= accepted && begin < said.size(); ++i) text.push_back(said[begin++]);
  }
  return result;
}

}  // namespace

TEST_CASE("the target goes on from half a text, and the draft is asked what it would have said at each place") {
  ScriptedSpeaker target(writer_of("onceupon"));
  ScriptedSpeaker draft([](const std::string& heard) { return std::string("onceuxon")[heard.size() % 8]; });
  CHECK(show(agreements(target, draft, letters("onceabcd"), {})) == "1011");
  CHECK(target.calls == "|once+u+p+o");  // what it says itself, not what stands in the text
  CHECK(draft.calls == "|onceupo");      // at once: the target's text is known
}

TEST_CASE("an odd token belongs to the first half, and an end token is the last to be guessed") {
  ScriptedSpeaker target(writer_of("onceupon")), draft(writer_of("onceupon"));
  CHECK(show(agreements(target, draft, letters("onceabc"), {})) == "111");
  CHECK(show(agreements(target, draft, letters("onceabcd"), letters("p"))) == "11");
  CHECK(show(agreements(target, draft, letters("on"), {})) == "1");
  CHECK(agreements(target, draft, letters("o"), {}).empty());
}

TEST_CASE("a round accepts guesses up to the first wrong one, and the bonus token comes behind them") {
  CHECK(in_rounds("1111", 1) == "2/2");     // guess, bonus, guess, bonus
  CHECK(in_rounds("0000", 1) == "0/4");     // each round gives only the bonus token
  CHECK(in_rounds("11111", 2) == "4/2");    // two guesses, bonus, two guesses
  CHECK(in_rounds("10110", 3) == "3/2");    // 10 and its bonus; 110
  CHECK(in_rounds("1110111", 3) == "6/2");  // the bonus takes the place of the wrong guess
  CHECK(in_rounds("11", 3) == "0/0");       // too few tokens are left for a round
  CHECK(in_rounds("", 1) == "0/0");
}

TEST_CASE("rounds counted from agreements are those of a draft that writes its guesses") {
  // Two random models rarely choose the same of 53 tokens; copies that differ in one row of one weight often do.
  Model almost = random_model(small_llama(), 1);
  writable_f32(almost.weights.layers[1].down).row(3) *= -4.0F;
  const auto shared = std::make_shared<const Model>(std::move(almost));
  const auto target = speaker_of(1), draft = paged_speaker(std::make_unique<CpuRunner>(shared, 1), 40, 4);
  double accepted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<TokenId> text = random_tokens(40, 53, seed);
    const std::vector<bool> agreed = agreements(*target, *draft, text, {});
    std::vector<TokenId> said;
    target->begin();
    std::span<const float> logits = target->hear(std::span(text).first(20));
    while (said.size() < 20) {
      said.push_back(argmax(logits));
      logits = target->hear(std::span(said).last(1));
    }
    for (std::uint32_t k = 1; k <= kMostGuesses; ++k) {
      CAPTURE(seed, k, show(agreed));
      const TextSum counted = accepted_in_rounds(agreed, k);
      const TextSum drafted = drafted_in_rounds(*draft, {text.begin(), text.begin() + 20}, said, k);
      CHECK(counted.sum == drafted.sum);
      CHECK(counted.count == drafted.count);
      accepted += counted.sum;
      refused += counted.count * k - counted.sum;
    }
  }
  CHECK(accepted > 50);  // the comparison saw both
  CHECK(refused > 50);
}

TEST_CASE("a model accepts all guesses of itself") {
  const auto target = speaker_of(7), draft = speaker_of(7);
  const std::vector<std::vector<TokenId>> texts{random_tokens(40, 53, 1), random_tokens(31, 53, 2)};
  const Acceptance result = measure_acceptance(*target, *draft, texts, {}, {}, CancelToken{}).value();
  CHECK(result.texts == 2);
  CHECK(result.guessed == 20 + 15);
  CHECK(result.accepted == result.guessed);
  CHECK(result.share() == 1);
  CHECK(result.interval.low == Approx(wilson_interval(35, 35).low));
  CHECK(result.interval.high == 1);
  for (const GuessRounds& rounds : result.rounds) {
    CHECK(rounds.mean() == rounds.guesses);
    CHECK(rounds.interval->low == Approx(rounds.guesses));
  }
  CHECK(result.rounds[3].guesses == 4);
  CHECK(result.rounds[3].rounds == 4 + 3);  // 20 tokens: 4 rounds of 4 and a bonus; 15: 3
}

TEST_CASE("a draft that is always wrong has no guess accepted, and each round brings the bonus token alone") {
  ScriptedSpeaker target(writer_of("a")), draft(writer_of("b"));
  const std::vector<std::vector<TokenId>> texts{letters("aaaaaaaa"), letters("bbbb")};
  const Acceptance result = measure_acceptance(target, draft, texts, {}, {}, CancelToken{}).value();
  CHECK(result.share() == 0);
  CHECK(result.interval.low == Approx(0).margin(1e-12));
  CHECK(result.interval.high == Approx(wilson_interval(0, 6).high));
  CHECK(result.rounds[0].rounds == 6);
  CHECK(result.rounds[1].rounds == 3 + 1);
  CHECK(result.rounds[7].mean() == 0);  // no text has 8 tokens to be guessed: no round
  CHECK(result.rounds[7].rounds == 0);
}

TEST_CASE("nothing to go on from, a logit that is no number and a cancelled measurement have no acceptance") {
  ScriptedSpeaker target(writer_of("a")), draft(writer_of("a")), broken(writer_of("?"));
  const std::vector<std::vector<TokenId>> texts{letters("abcd")}, short_ones{letters("a")};
  const auto measure = [&](Speaker& by, std::span<const std::vector<TokenId>> over) {
    return refusal([&] { measure_acceptance(target, by, over, {}, {}, CancelToken{}); });
  };
  CHECK_THAT(measure(draft, short_ones), contains("no text has 2 tokens"));
  CHECK_THAT(measure(broken, texts), contains("not a finite number"));
  CancelToken cancel;
  cancel.cancel();
  CHECK(!measure_acceptance(target, draft, texts, {}, {}, cancel));
  CHECK_THROWS_AS(measure_acceptance(target, *speaker_of(1), texts, {}, {}, CancelToken{}), MisuseError);
}
