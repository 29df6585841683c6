#include "cpu_reference/evaluation/recitation.h"

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

std::uint32_t recited(ScriptedSpeaker& speaker, const std::string& prompt, const std::string& answer) {
  return recite(speaker, letters(prompt), letters(answer));
}

Recitation task(const std::string& prompt, const std::string& answer, std::uint32_t group,
                std::optional<std::uint32_t> distance = {}) {
  return {letters(prompt), letters(answer), group, distance};
}

}  // namespace

TEST_CASE("who knows the answer says all of it: the prompt is heard at once, the answer token by token") {
  ScriptedSpeaker speaker(writer_of("promptcode"));
  CHECK(recited(speaker, "prompt", "code") == 4);
  CHECK(speaker.calls == "|prompt+c+o+d");  // what comes behind the answer is not asked
}

TEST_CASE("who says another token is asked no further") {
  ScriptedSpeaker speaker(writer_of("promptcope"));
  CHECK(recited(speaker, "prompt", "code") == 2);
  CHECK(speaker.calls == "|prompt+c+o");
  ScriptedSpeaker silent([](const std::string&) { return 'z'; });
  CHECK(recited(silent, "prompt", "code") == 0);
  CHECK(silent.calls == "|prompt");
}

TEST_CASE("recitations are counted by group, each with how sure its share is") {
  ScriptedSpeaker speaker([](const std::string& heard) { return heard[0]; });  // says the first letter for ever
  const std::vector<Recitation> recitations{task("abc", "aa", 3, 2U), task("bac", "bb", 3, 3U), task("cab", "cd", 3),
                                            task("dab", "da", 1, 9U)};
  const auto groups = measure_recitation(speaker, recitations, {}, CancelToken{}).value();
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].group == 1);
  CHECK(groups[0].right == 0);
  CHECK(groups[0].said_tokens == 1);
  CHECK(groups[0].distance == 9.0);
  CHECK(groups[1].group == 3);
  CHECK(groups[1].asked == 3);
  CHECK(groups[1].right == 2);
  CHECK(groups[1].answer_tokens == 6);
  CHECK(groups[1].said_tokens == 5);
  CHECK(groups[1].distance == 2.5);  // of the two that have one
  CHECK(groups[1].share() == Approx(2.0 / 3));
  CHECK(groups[1].interval().low == Approx(wilson_interval(2, 3).low));
}

TEST_CASE("nothing to recite gives no group, and a cancelled measurement nothing") {
  ScriptedSpeaker speaker(writer_of("a"));
  CHECK(measure_recitation(speaker, {}, {}, CancelToken{}).value().empty());
  CancelToken cancel;
  std::uint64_t told = 0;
  const auto stop = [&](const Progress& progress) {
    told = progress.done;
    CHECK(progress.total == 3);
    if (told == 2) cancel.cancel();
  };
  const std::vector<Recitation> three(3, task("a", "a", 1));
  CHECK(!measure_recitation(speaker, three, stop, cancel));
  CHECK(told == 2);
}

TEST_CASE("a logit that is no number is an error, never a wrong answer") {
  ScriptedSpeaker speaker([](const std::string& heard) { return heard.size() < 3 ? 'a' : '?'; });
  CHECK_THAT(refusal([&] { recited(speaker, "aa", "aaa"); }),
             contains("the model scripted computes a logit that is not a finite number"));
  ScriptedSpeaker broken(writer_of("a"));
  broken.lost = 1;
  CHECK_THROWS_AS(recited(broken, "aa", "a"), MisuseError);
  CHECK_THROWS_AS(broken.hear({}, 1), MisuseError);
  CHECK_THROWS_AS(broken.hear(letters("ab"), 3), MisuseError);
  CHECK_THROWS_AS(broken.hear(letters("ab"), 0), MisuseError);
}
