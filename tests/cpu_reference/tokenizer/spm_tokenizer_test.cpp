// SentencePiece's vocabularies as Hugging Face and GGUF files have them; those of llama2.c: tokenizer_test.cpp.
#include "cpu_reference/tokenizer/spm_tokenizer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

// Special tokens and bytes stand where no llama2.c file has them.
std::vector<Piece> pieces() {
  return {{"▁", -9},
          {"a", -9},
          {"b", -9},
          {"▁a", -1},
          {"ab", -2},
          {"▁ab", -3},
          {"<0x0A>", 0, TokenKind::byte},
          {"</s>", 0, TokenKind::control},
          {"<s>", 0, TokenKind::control},
          {"<unk>", 0, TokenKind::unknown},
          {"<tool>", 0, TokenKind::user_defined},
          {"aa", 9, TokenKind::unused}};
}
constexpr TokenId kEnd{7}, kBegin{8};

SpmTokenizer make(SpmRules rules, bool add_begin = true) {
  return SpmTokenizer(pieces(), {kBegin, add_begin, {kEnd}, ""}, AddedTokens(added_tokens_of(pieces())),
                      std::move(rules));
}

SpmRules with_prefix(SpacePrefix prefix) {
  SpmRules rules;
  rules.prefix = prefix;
  return rules;
}

/// The pieces between bars; a special token shows its name.
std::string show(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += (text.empty() ? "" : "|") + tokenizer.name(token);
  return text;
}

}  // namespace

TEST_CASE("special ids and byte pieces may stand anywhere in a vocabulary") {
  const SpmTokenizer tokenizer = make({});
  CHECK(show(tokenizer, tokenizer.encode("ab\n")) == "<s>| ab|<0x0A>");
  CHECK(tokenizer.decode(tokenizer.encode("ab\n")) == "ab\n");
  CHECK(tokenizer.begin() == kBegin);
  CHECK(tokenizer.is_end(kEnd));
  CHECK_FALSE(tokenizer.is_end(kBegin));
  CHECK_THROWS_WITH(tokenizer.encode("\t"), contains("nor pieces for single bytes"));
}

TEST_CASE("U+2581 stands for a space in the pieces, and in the text too") {
  const SpmTokenizer tokenizer = make({});
  CHECK(show(tokenizer, tokenizer.encode("a a")) == "<s>| a| a");
  CHECK(tokenizer.encode("a▁a") == tokenizer.encode("a a"));
  CHECK(tokenizer.decode(tokenizer.encode("a a")) == "a a");
}

TEST_CASE("a control token is found only in a prompt that may name it, a user-defined one always") {
  const SpmTokenizer tokenizer = make({});
  CHECK_THROWS_AS(tokenizer.encode("a</s>"), InputError);  // "<" has no piece here
  CHECK(show(tokenizer, tokenizer.encode_with_specials("<s>a</s>")) == "<s>| a|</s>");
  CHECK(show(tokenizer, tokenizer.encode("a<tool>b")) == "<s>| a|<tool>| |b");
  CHECK(tokenizer.decode(tokenizer.encode("a<tool>b")) == "a<tool>b");
  CHECK(tokenizer.decode(tokenizer.encode_with_specials("<s>a</s>")) == "a");
}

TEST_CASE("the space before text is put nowhere, at the start, or behind each added token") {
  const SpmTokenizer nowhere = make(with_prefix(SpacePrefix::nowhere));
  const SpmTokenizer start = make(with_prefix(SpacePrefix::start));
  const SpmTokenizer every = make(with_prefix(SpacePrefix::every_part));
  CHECK(show(nowhere, nowhere.encode("a<tool>a")) == "<s>|a|<tool>|a");
  CHECK(show(start, start.encode("a<tool>a")) == "<s>| a|<tool>|a");
  CHECK(show(every, every.encode("a<tool>a")) == "<s>| a|<tool>| a");
  for (const SpmTokenizer* tokenizer : {&nowhere, &start, &every}) {
    CHECK(tokenizer->decode(tokenizer->encode(" a<tool> a")) == " a<tool> a");
  }
}

TEST_CASE("without a begin token the first token gives back the space before the text") {
  const SpmTokenizer tokenizer = make({}, false);
  CHECK(show(tokenizer, tokenizer.encode("ab a")) == " ab| a");
  CHECK(tokenizer.decode(tokenizer.encode("ab a")) == "ab a");
}

TEST_CASE("where the rule says so, text that begins with a space gets no second one") {
  SpmRules rules;
  rules.prefix_before_space = false;
  const SpmTokenizer tokenizer = make(std::move(rules));
  CHECK(tokenizer.encode(" a") == tokenizer.encode("a"));
  CHECK(show(tokenizer, tokenizer.encode("  a")) == "<s>| | a");
}

TEST_CASE("merges by rank join only the listed pairs, the first listed first") {
  SpmRules rules;
  rules.merges.emplace();
  rules.merges->add(TokenId{1}, TokenId{2}, TokenId{4});  // a b -> ab
  rules.merges->add(TokenId{0}, TokenId{1}, TokenId{3});  // ▁ a -> ▁a
  const SpmTokenizer tokenizer = make(std::move(rules));
  CHECK(show(tokenizer, tokenizer.encode("ab a")) == "<s>| |ab| a");  // ▁ab is no merge
}

TEST_CASE("within words: a merge never reaches over the start of a word") {
  const std::vector<Piece> across{{"▁", 0}, {"a", 0}, {"a▁", 1}};
  SpmRules rules;
  rules.prefix = SpacePrefix::nowhere;
  const SpmTokenizer whole(across, {}, {}, rules);
  CHECK(show(whole, whole.encode("a a")) == "a |a");
  rules.within_words = true;
  const SpmTokenizer words(across, {}, {}, rules);
  CHECK(show(words, words.encode("a a")) == "a| |a");
}

TEST_CASE("a piece that is no byte, an endless score and an end token outside the vocabulary are refused") {
  CHECK_THROWS_WITH(SpmTokenizer({{"<0x1G>", 0, TokenKind::byte}}, {}, {}, {}), contains("piece 0 is to be a byte"));
  CHECK_THROWS_WITH(SpmTokenizer({{"a", HUGE_VALF}}, {}, {}, {}), contains("score of piece 0"));
  CHECK_THROWS_WITH(SpmTokenizer({{"a", 0}}, {{}, false, {TokenId{1}}, ""}, {}, {}),
                    contains("end token 1 is outside"));
  CHECK_THROWS_WITH(SpmTokenizer({{"a", 0}}, {TokenId{-1}, false, {}, ""}, {}, {}),
                    contains("begin token -1 is outside"));
}
