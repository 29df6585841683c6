#include "cpu_reference/evaluation/surprise.h"

#include <cmath>

#include "core/error.h"
#include "tests/cpu_reference/evaluation/scripted_speaker.h"
#include "tests/support/catch.h"
#include "tests/support/refusal.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::Approx;
using kvarium_test::contains;
using kvarium_test::letters;
using kvarium_test::refusal;
using kvarium_test::ScriptedSpeaker;
using kvarium_test::writer_of;

namespace {

MeasuredSurprise measured(ScriptedSpeaker& speaker, const std::vector<std::string>& texts) {
  std::vector<std::vector<TokenId>> tokens;
  for (const std::string& text : texts) tokens.push_back(letters(text));
  return measure_surprise(speaker, tokens, {}, CancelToken{}).value();
}

}  // namespace

TEST_CASE("who knows nothing hesitates among the whole vocabulary, whatever the text") {
  ScriptedSpeaker speaker(writer_of("a"));
  speaker.height = 0;  // all 26 letters are as likely
  const MeasuredSurprise result = measured(speaker, {"abc", "zz", "q"});
  CHECK(result.texts == 3);
  CHECK(result.predicted == 2 + 1);  // the first token of each text is given
  CHECK(result.perplexity() == Approx(26));
  CHECK(result.interval->low == Approx(std::log(26)));  // all texts are alike
  CHECK(speaker.calls == "|ab|z|");                     // behind the last token nothing is foretold
}

TEST_CASE("who knows the text by heart has a perplexity of 1") {
  ScriptedSpeaker speaker(writer_of("tale"));
  speaker.height = 100;
  CHECK(measured(speaker, {"tale", "tal"}).perplexity() == Approx(1));
}

TEST_CASE("each token counts the same, and the interval comes from how much the texts differ") {
  ScriptedSpeaker speaker([](const std::string&) { return 'a'; });
  speaker.height = std::log(25.0F);  // "a" has probability 1/2, each other letter 1/50
  const MeasuredSurprise result = measured(speaker, {"baaa", "bz"});
  const double known = std::log(2), unknown = std::log(50);
  CHECK(result.mean == Approx((3 * known + unknown) / 4));
  CHECK(result.perplexity() == Approx(std::exp(result.mean)));
  // Both texts lie 3/4 (unknown - known) apart from the mean, times their tokens: twice its square, times 2 / 1, over
  // 4 * 4.
  const double half = 1.959964 * std::sqrt(2 * std::pow(0.75 * (unknown - known), 2) * 2 / 16);
  CHECK(result.interval->high - result.interval->low == Approx(2 * half));
  CHECK(result.perplexity_interval()->low == Approx(std::exp(result.mean - half)));
  CHECK(!measured(speaker, {"baaa"}).perplexity_interval());
}

TEST_CASE("a long text is heard in parts, and no token is lost between them") {
  std::string text;
  for (int i = 0; i < 600; ++i) text += static_cast<char>('a' + i % 26);
  ScriptedSpeaker speaker(writer_of(text));
  speaker.height = 100;
  const MeasuredSurprise result = measured(speaker, {text});
  CHECK(result.predicted == 599);
  CHECK(result.perplexity() == Approx(1));
  CHECK(std::count(speaker.calls.begin(), speaker.calls.end(), '+') == 2);  // 256, 256, 87
}

TEST_CASE("texts with nothing to predict, a logit that is no number and a cancelled measurement have no perplexity") {
  ScriptedSpeaker speaker(writer_of("a"));
  CHECK_THAT(refusal([&] { measured(speaker, {"a", "b"}); }), contains("no text has 2 tokens"));
  CHECK_THAT(refusal([&] { measured(speaker, {}); }), contains("no text has 2 tokens"));
  ScriptedSpeaker broken(writer_of("a?"));
  CHECK_THAT(refusal([&] { measured(broken, {"aaa"}); }), contains("not a finite number"));
  CancelToken cancel;
  cancel.cancel();
  const std::vector<std::vector<TokenId>> texts{letters("abc")};
  CHECK(!measure_surprise(speaker, texts, {}, cancel));
}
