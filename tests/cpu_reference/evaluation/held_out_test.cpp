#include "cpu_reference/evaluation/held_out.h"

#include <fmt/format.h>

#include <limits>
#include <sstream>
#include <string>

#include "core/error.h"
#include "cpu_reference/evaluation/held_out_tokens.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/refusal.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::refusal;

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

const std::string kSet =
    R"({"kind": "story", "text": "Tom had a red hat."})"
    "\n"
    R"({"kind": "recall", "prompt": "The code is 4719. Answer:", "answer": " 4719", "distance": 10})"
    "\r\n\n"
    R"({"kind": "list", "prompt": "List: a, b. Again:", "answer": " a, b", "items": 2, "seed": 7})"
    "\n"
    R"({"kind": "story", "text": "Mia was sad."})";

HeldOutSet read(const std::string& text, std::size_t limit = kAll) {
  std::istringstream in(text);
  return read_held_out(in, "set.jsonl", limit, {}, CancelToken{}).value();
}

/// The longest piece that fits, from left to right, behind a begin token.
class LongestPieces final : public Tokenizer {
 public:
  explicit LongestPieces(const std::vector<std::string>& texts, bool adds_begin = true)
      : Tokenizer(rows(texts), {TokenId{0}, adds_begin, {}, ""}, {}) {}
  std::string piece(std::optional<TokenId>, TokenId token) const override { return at(token).bytes; }

 protected:
  void append_text(std::string_view text, bool, std::vector<TokenId>& tokens) const override {
    while (!text.empty()) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < pieces().size(); ++i) {
        const std::string& bytes = pieces()[i].bytes;
        if (text.substr(0, bytes.size()) == bytes && (best == 0 || bytes.size() > pieces()[best].bytes.size()))
          best = i;
      }
      if (best == 0) throw InputError("no piece for " + std::string(text));
      tokens.push_back(TokenId{static_cast<std::int32_t>(best)});
      text.remove_prefix(pieces()[best].bytes.size());
    }
  }

 private:
  static std::vector<Piece> rows(const std::vector<std::string>& texts) {
    std::vector<Piece> rows{{"<begin>", 0, TokenKind::control}};
    for (const std::string& text : texts) rows.push_back({text, 0, TokenKind::normal});
    return rows;
  }
};

/// "0 3 1": the numbers of the tokens.
std::string show(const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += (text.empty() ? "" : " ") + std::to_string(value(token));
  return text;
}

}  // namespace

TEST_CASE("a held-out set has three kinds of texts, one a line") {
  const HeldOutSet set = read(kSet);
  REQUIRE(set.stories.size() == 2);
  CHECK(set.stories[1] == "Mia was sad.");
  REQUIRE(set.recalls.size() == 1);
  CHECK(set.recalls[0].prompt == "The code is 4719. Answer:");
  CHECK(set.recalls[0].answer == " 4719");
  CHECK(set.recalls[0].group == 10);
  REQUIRE(set.lists.size() == 1);
  CHECK(set.lists[0].group == 2);
  CHECK(set.size() == 4);
}

TEST_CASE("a limit keeps the first stories, and the first tasks of each distance or length") {
  const HeldOutSet set = read(kSet, 1);
  CHECK(set.size() == 3);
  CHECK(set.stories == std::vector<std::string>{"Tom had a red hat."});
  const auto task = [](const char* answer, int distance) {
    return fmt::format("{{\"kind\": \"recall\", \"prompt\": \"p\", \"answer\": \"{}\", \"distance\": {}}}\n", answer,
                       distance);
  };
  const HeldOutSet tasks = read(task("a", 5) + task("b", 5) + task("c", 9) + task("d", 5), 2);
  REQUIRE(tasks.recalls.size() == 3);
  CHECK(tasks.recalls[1].answer == "b");
  CHECK(tasks.recalls[2].answer == "c");
}

TEST_CASE("a wrong line is refused with its file, its number, what is wrong and what to do") {
  const auto refused = [](const std::string& line) {
    return refusal([&] {
      read(R"({"kind": "story", "text": "a"})"
           "\n" +
           line);
    });
  };
  CHECK(refused("{") == "set.jsonl: line 2: no valid JSON at character 2: one object a line");
  CHECK(refused("\xff") == "set.jsonl: line 2: no valid JSON at character 1: one object a line");
  CHECK(refused("[1]") == "set.jsonl: line 2: no JSON object: each text stands in braces, one a line");
  CHECK(refused("{}") == "set.jsonl: line 2: \"kind\" is missing: add it");
  CHECK(refused(R"({"kind": "poem", "text": "a"})") ==
        "set.jsonl: line 2: kind is \"poem\": give \"story\", \"recall\" or \"list\"");
  CHECK(refused(R"({"kind": 3})") == "set.jsonl: line 2: \"kind\" is 3: a text in quotes is needed");
  CHECK(refused(R"({"kind": "story"})") == "set.jsonl: line 2: \"text\" is missing: add it");
  CHECK(refused(R"({"kind": "story", "text": ""})") == "set.jsonl: line 2: \"text\" is empty: give it a text");
  CHECK(refused(R"({"kind": "story", "text": {"a": 1}})") ==
        "set.jsonl: line 2: \"text\" is {...}: a text in quotes is needed");
  CHECK(refused(R"({"kind": "recall", "prompt": "a", "answer": "b"})") ==
        "set.jsonl: line 2: \"distance\" is missing: add it");
  for (const char* number : {"-1", "1.5", "16777217", "\"10\"", "null", "1e3"}) {
    CHECK_THAT(refused(R"({"kind": "list", "prompt": "a", "answer": "b", "items": )" + std::string(number) + "}"),
               contains(": a whole number from 0 to 16777216 is needed"));
  }
  CHECK_THAT(refused(R"({"kind": "list", "prompt": "a", "answer": "b", "items": 1e999})"), contains("line 2: "));
  CHECK_THAT(refused(std::string(1000, 'x')), contains("no valid JSON"));
  CHECK_THAT(refused(R"({"kind": ")" + std::string(1000, 'x') + "\"}"), contains("xxx...: give"));
}

TEST_CASE("a file without a text is refused, and a cancelled reading gives no set") {
  CHECK(refusal([] { read(""); }) == "set.jsonl: no text in it: give one JSON object a line");
  CHECK(refusal([] { read("\n\n"); }) == "set.jsonl: no text in it: give one JSON object a line");
  CancelToken cancel;
  cancel.cancel();
  std::istringstream in(kSet);
  CHECK(!read_held_out(in, "set.jsonl", kAll, {}, cancel));
}

TEST_CASE("a prompt and its answer become tokens, and the distance is counted in them") {
  const LongestPieces tokenizer({"a", "b", "c", " ", "7", "cc"});  // tokens 1 to 6
  HeldOutSet set;
  set.stories = {"ab"};
  set.recalls = {{"ab7 cc a", " 7", 5}};
  const HeldOutTokens texts = encode(set, tokenizer, 100);
  CHECK(show(texts.stories[0]) == "0 1 2");
  CHECK(show(texts.recalls[0].prompt) == "0 1 2 5 4 6 4 1");
  CHECK(show(texts.recalls[0].answer) == "4 5");
  CHECK(texts.recalls[0].group == 5);
  CHECK(texts.recalls[0].distance == 4U);  // behind the 7: " ", "cc", " ", "a"
  CHECK(texts.longest == 10);
}

TEST_CASE("the distance counts from the last place where the answer stands; nowhere: there is none") {
  const LongestPieces tokenizer({"a", " ", "7"});
  HeldOutSet set;
  set.recalls = {{"7a7a", " 7", 1}, {"aa", " 7", 1}, {"a a", " ", 1}};
  const HeldOutTokens texts = encode(set, tokenizer, 100);
  CHECK(texts.recalls[0].distance == 1U);
  CHECK(!texts.recalls[1].distance);
  CHECK(!texts.recalls[2].distance);  // an answer of spaces stands everywhere and nowhere
}

TEST_CASE("a token that joins the prompt's end and the answer's beginning belongs to the answer") {
  const LongestPieces tokenizer({"a", "b", "c", "bc"});
  HeldOutSet set;
  set.lists = {{"ab", "ca", 1}};
  const HeldOutTokens texts = encode(set, tokenizer, 100);
  CHECK(show(texts.lists[0].prompt) == "0 1");
  CHECK(show(texts.lists[0].answer) == "4 1");

  const LongestPieces without_begin({"a", "b", "c", "bc"}, false);
  set.lists = {{"b", "c", 1}};
  CHECK(refusal([&] { encode(set, without_begin, 100); }) ==
        "the prompt \"b\" and its answer are one token of this model: make the prompt longer");
}

TEST_CASE("texts that are longer than the context are left out and counted") {
  const LongestPieces tokenizer({"a"});
  HeldOutSet set;
  set.stories = {"aaa", "aaaa"};
  set.recalls = {{"aa", "a", 1}, {"aa", "aa", 1}};
  set.lists = {{"aaaa", "a", 1}};
  const HeldOutTokens texts = encode(set, tokenizer, 4);
  CHECK(texts.stories.size() == 1);
  CHECK(texts.recalls.size() == 1);
  CHECK(texts.lists.empty());
  CHECK(texts.too_long == 3);
  CHECK(texts.longest == 4);
}
