#include <sstream>

#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/terminal_front.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::contains;

namespace {

/// A learner who types `typed` into a terminal of ours.
struct Learner {
  explicit Learner(const std::string& typed, TerminalAbilities can = {.interactive = true})
      : in(typed), front(in, out, can) {}
  std::istringstream in;
  std::ostringstream out;
  TerminalFront front;
  VectorSink record;
  LessonKit kit{front, record};
};

const Question kHowMany{.text = "How many blocks do 17 tokens need?",
                        .choices = {},
                        .expected = "3",
                        .answer = "3",
                        .because = "17 / 8, rounded up."};
const Question kWhich{.text = "Which block?",
                      .choices = {"block 7", "block 3", "block 12"},
                      .expected = "block 3",
                      .answer = "block 3",
                      .because = "It is the second entry."};

}  // namespace

TEST_CASE("a right answer is called right and explained") {
  Learner learner("3\n\n");
  learner.kit.ask(kHowMany);
  CHECK_THAT(learner.out.str(), contains("? How many blocks do 17 tokens need?"));
  CHECK_THAT(learner.out.str(), contains("Right: 3. 17 / 8, rounded up."));
}

TEST_CASE("a wrong answer is told the right one and why") {
  Learner learner("2\n\n");
  learner.kit.ask(kHowMany);
  CHECK_THAT(learner.out.str(), contains("Not quite: it is 3. 17 / 8, rounded up."));
  CHECK(learner.kit.failures().empty());  // the learner may be wrong, the lesson is not
}

TEST_CASE("Enter alone shows the answer without a verdict") {
  Learner learner("\n\n");
  learner.kit.ask(kHowMany);
  CHECK_THAT(learner.out.str(), contains("Answer: 3."));
}

TEST_CASE("a choice is answered by its letter or its text, in any case and with blanks") {
  CHECK(same_answer("b", "block 3", kWhich.choices));
  CHECK(same_answer("  B ", "block 3", kWhich.choices));
  CHECK(same_answer("Block 3", "block 3", kWhich.choices));
  CHECK_FALSE(same_answer("a", "block 3", kWhich.choices));
  CHECK_FALSE(same_answer("d", "block 3", kWhich.choices));
  CHECK_FALSE(same_answer("", "block 3", kWhich.choices));
}

TEST_CASE("q leaves at a paragraph and at a question, and so does the end of input") {
  Learner leaves_at_text("q\n");
  CHECK_THROWS_AS(leaves_at_text.kit.say("A paragraph."), LessonLeft);
  Learner leaves_at_question("q\n");
  CHECK_THROWS_AS(leaves_at_question.kit.ask(kHowMany), LessonLeft);
  Learner ends_input("");
  CHECK_THROWS_AS(ends_input.kit.ask(kHowMany), LessonLeft);
}

TEST_CASE("piped, nobody is asked: the text runs to its end and holds no escape codes") {
  Learner pipe("", {.interactive = false});
  pipe.kit.title("Paged blocks");
  pipe.kit.say("One paragraph.");
  pipe.kit.show("7 3 12");
  pipe.kit.ask(kWhich);
  CHECK(pipe.out.str() ==
        "Paged blocks\n============\n\n"
        "One paragraph.\n\n"
        "    7 3 12\n\n"
        "? Which block?\n  a) block 7\n  b) block 3\n  c) block 12\n"
        "Answer: block 3. It is the second entry.\n\n");
}

TEST_CASE("colour is used only where the terminal has it, and never without words") {
  Learner colourful("2\n\n", {.interactive = true, .colour = true});
  colourful.kit.ask(kHowMany);
  CHECK_THAT(colourful.out.str(), contains("\x1b["));
  CHECK_THAT(colourful.out.str(), contains("Not quite"));
}

TEST_CASE("without UTF-8 the signs become ASCII") {
  Learner ascii("", {.interactive = false, .utf8 = false});
  ascii.kit.show("13/8=1 → table[1] ██░ 6×2");
  CHECK(ascii.out.str() == "    13/8=1 -> table[1] ##- 6x2\n\n");
}

TEST_CASE("text breaks between words and between Chinese characters, never inside a word") {
  CHECK(wrap("one two three", 7) == "one two\nthree\n");
  CHECK(wrap("unbreakable word", 4) == "unbreakable\nword\n");
  CHECK(wrap("块表映射", 4) == "块表\n映射\n");
  CHECK(columns("块a") == 3);
}

TEST_CASE("words and the engine's events go into one trace, in order") {
  SilentFront front;
  VectorSink record;
  LessonKit kit(front, record);
  kit.title("T");
  kit.emit(PoolCreated{.block_size = 4, .hand_out_order = {BlockId{0}}});
  kit.say("Look.", {point(BlockId{3}), point(RequestId{0}, 1), point(RequestId{1}), point(Slot{29})});
  kit.ask(kHowMany);
  REQUIRE(record.events.size() == 5);
  CHECK(std::get<LessonStarted>(record.events[0]).title == "T");
  CHECK(std::holds_alternative<PoolCreated>(record.events[1]));
  CHECK(std::get<Said>(record.events[2]).points ==
        std::vector<std::string>{"block:3", "table:A[1]", "request:B", "slot:29"});
  CHECK(std::get<Asked>(record.events[3]).answer == "3");
  CHECK(std::get<Said>(record.events[4]).text == "The answer: 3. 17 / 8, rounded up.");
  CHECK(kit.world().block_size == 4);
}

TEST_CASE("an answer that the engine contradicts is a failure that names both") {
  SilentFront front;
  NullSink record;
  LessonKit kit(front, record);
  Question wrong = kHowMany;
  wrong.expected = "4";
  kit.ask(wrong);
  kit.expect("tokens", 17, 17);
  kit.expect("blocks", 3, 2);
  CHECK(kit.num_checked() == 3);
  CHECK(kit.failures() == std::vector<std::string>{"\"How many blocks do 17 tokens need?\": the lesson expects 4, the "
                                                   "engine computed 3",
                                                   "\"blocks\": the lesson expects 3, the engine computed 2"});
}

TEST_CASE("an answer that is none of the choices is a failure") {
  SilentFront front;
  NullSink record;
  LessonKit kit(front, record);
  Question odd = kWhich;
  odd.expected = odd.answer = "block 5";
  kit.ask(odd);
  REQUIRE(kit.failures().size() == 1);
  CHECK_THAT(kit.failures()[0], contains("none of the choices"));
}
