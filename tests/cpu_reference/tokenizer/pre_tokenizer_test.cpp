#include "cpu_reference/tokenizer/pre_tokenizer.h"

#include <random>
#include <string>

#include "tests/support/catch.h"

using namespace kvarium::cpu;

namespace {

std::string show(std::string_view text, const std::vector<SplitRule>& rules) {
  std::string shown;
  for (const std::string_view word : pre_tokenize(text, rules)) shown.append(shown.empty() ? "" : "|").append(word);
  return shown;
}

}  // namespace

TEST_CASE("GPT-2 keeps a space with the word behind it, and cuts off what its contractions are") {
  const std::vector<SplitRule> rules{SplitRule::gpt2};
  CHECK(show("Hello world  and 12 more!?", rules) == "Hello| world| | and| 12| more|!?");
  CHECK(show("they'll DON'T it's", rules) == "they|'ll| DON|'|T| it|'s");
  CHECK(show("a \n\n b  ", rules) == "a| \n\n| b|  ");
  CHECK(show("a\tb", rules) == "a|\t|b");
  CHECK(show("", rules).empty());
}

TEST_CASE("Llama 3 takes any one character before letters, three numbers, and line breaks behind signs") {
  const std::vector<SplitRule> rules{SplitRule::llama3};
  CHECK(show("a\tb (c) 12345", rules) == "a|\tb| (|c|)| |123|45");
  CHECK(show("DON'T it'S x\u00a0y", rules) == "DON|'T| it|'S| x|\u00a0y");
  CHECK(show("end.\n\nNext  \n  line", rules) == "end|.\n\n|Next|  \n| | line");
}

TEST_CASE("Qwen2 takes numbers one by one, and SmolLM cuts them out first") {
  CHECK(show(" 123 a1b", {SplitRule::qwen2}) == " |1|2|3| a|1|b");
  CHECK(show(" 123 a1b", {SplitRule::digits, SplitRule::gpt2}) == " |1|2|3| a|1|b");
  CHECK(show("a  1", {SplitRule::digits, SplitRule::gpt2}) == "a|  |1");  // the space before a number ends its word
  CHECK(show("a  1", {SplitRule::qwen2}) == "a| | |1");
}

TEST_CASE("letters and numbers are what Unicode calls so; marks and stray bytes are neither") {
  const std::vector<SplitRule> rules{SplitRule::gpt2};
  CHECK(show("中文\u0661\u0662Ⅷ½", rules) == "中文|\u0661\u0662Ⅷ½");
  CHECK(show("e\u0301a", rules) == "e|\u0301|a");
  CHECK(show("a\xFF\xE4z", rules) == "a|\xFF\xE4|z");
}

TEST_CASE("the words are the text, whatever the bytes") {
  const unsigned seed = 21;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const std::vector<std::string> parts{"a", "B",      "1",      " ",    "\n",     "\t", "'",
                                       "s", "\u00e9", "\u0301", "\xFF", "\u3000", "!"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t left = random() % 12; left > 0; --left) text += parts[random() % parts.size()];
    for (const SplitRule rule : {SplitRule::gpt2, SplitRule::llama3, SplitRule::qwen2, SplitRule::digits}) {
      std::string joined;
      for (const std::string_view word : pre_tokenize(text, {rule, SplitRule::gpt2})) {
        REQUIRE_FALSE(word.empty());
        joined += word;
      }
      REQUIRE(joined == text);
    }
  }
}
