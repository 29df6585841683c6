#include "cpu_reference/tokenizer/byte_level_bpe.h"

#include <filesystem>
#include <random>
#include <string>

#include "core/error.h"
#include "cpu_reference/tokenizer/byte_symbols.h"
#include "cpu_reference/tokenizer/tokenizer_json.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

std::string show(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += (text.empty() ? "" : "|") + tokenizer.name(token);
  return text;
}

// a, b, Ġ (a space), ab, Ġa, Ġab; "ab" was learnt before "Ġa", "Ġab" is no merge.
ByteLevelRules rules(bool whole_words) {
  ByteLevelRules rules;
  rules.splits = {SplitRule::gpt2};
  rules.merges.add(TokenId{0}, TokenId{1}, TokenId{3});
  rules.merges.add(TokenId{2}, TokenId{0}, TokenId{4});
  rules.whole_words = whole_words;
  return rules;
}
ByteLevelBpe make(ByteLevelRules rules) {
  std::vector<Piece> pieces{{"a"}, {"b"}, {"Ġ"}, {"ab"}, {"Ġa"}, {"Ġab"}, {"<end>", 0, TokenKind::control}};
  AddedTokens added(added_tokens_of(pieces));
  return ByteLevelBpe(std::move(pieces), {{}, false, {TokenId{6}}, ""}, std::move(added), std::move(rules));
}

std::shared_ptr<const Tokenizer> golden(const std::string& family) {
  return tokenizer_from_json(std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/tokenizers" /
                             (family + ".tokenizer.json"));
}

}  // namespace

TEST_CASE("each byte has a symbol, and the symbols give back the bytes") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    CHECK(bytes_of_symbols(symbols_of_bytes(one)) == one);
  }
  CHECK(symbols_of_bytes(" a\n\u00e9") == "ĠaĊÃ©");
  CHECK(bytes_of_symbols("a b") == std::nullopt);  // a space is no symbol
  CHECK(bytes_of_symbols("中") == std::nullopt);
}

TEST_CASE("the pair that was learnt first is joined first") {
  const ByteLevelBpe tokenizer = make(rules(false));
  CHECK(show(tokenizer, tokenizer.encode("ab ab a")) == "ab| |ab| a");
  CHECK(tokenizer.decode(tokenizer.encode("ab ab a")) == "ab ab a");
}

TEST_CASE("a word that is a piece is taken at once where merges may be ignored") {
  const ByteLevelBpe tokenizer = make(rules(true));
  CHECK(show(tokenizer, tokenizer.encode("ab ab a")) == "ab| ab| a");
}

TEST_CASE("a control token is found only in a prompt that may name it, and adds no text") {
  const ByteLevelBpe tokenizer = make(rules(false));
  CHECK(show(tokenizer, tokenizer.encode_with_specials("ab<end>a")) == "ab|<end>|a");
  CHECK(tokenizer.decode(tokenizer.encode_with_specials("ab<end>a")) == "aba");
  CHECK_THROWS_WITH(tokenizer.encode("ab<end>"), contains("no piece for the byte 0x3C"));
  CHECK(tokenizer.is_end(TokenId{6}));
  CHECK(tokenizer.begin() == std::nullopt);
  CHECK(tokenizer.encode("").empty());
}

TEST_CASE("text becomes pieces in byte symbols only, and of equal ones the first") {
  for (const bool whole_words : {false, true}) {
    ByteLevelRules rules;
    rules.splits = {SplitRule::gpt2};
    rules.whole_words = whole_words;
    const ByteLevelBpe tokenizer({{" "}, {"Ġ"}, {"Ġ"}, {" a"}, {"a"}}, {}, {}, std::move(rules));
    CHECK(tokenizer.encode(" a ") == std::vector{TokenId{1}, TokenId{4}, TokenId{1}});
    CHECK(tokenizer.decode({TokenId{0}, TokenId{2}, TokenId{3}}) == "   a");
  }
}

TEST_CASE("any bytes come back from their tokens, valid UTF-8 or not") {
  const unsigned seed = 22;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (const char* family : {"gpt2", "llama3", "smollm", "llama2"}) {
    const auto tokenizer = golden(family);
    for (int round = 0; round < 300; ++round) {
      std::string bytes(random() % 40, '\0');
      for (char& byte : bytes)
        byte = round % 2 == 0 ? " 'sT1\n\xE2\x80\x99"[random() % 9] : static_cast<char>(random());
      INFO(family);
      REQUIRE(tokenizer->decode(tokenizer->encode(bytes)) == bytes);
    }
  }
}

TEST_CASE("a word of 100,000 characters asks for three pairs a character at most") {
  ByteLevelRules only = rules(false);
  only.merges.add(TokenId{0}, TokenId{0}, TokenId{5});
  const std::vector<TokenId> same(100'000, TokenId{0});
  const auto rule = [&](TokenId left, TokenId right) { return only.merges.join(left, right); };
  const Merged merged = merge_pairs(rule, same);
  CHECK(merged.tokens.size() == 50'000);
  CHECK(merged.pairs_looked_up <= 3 * same.size());
}

TEST_CASE("long texts are encoded at once, in every family") {
  std::string story;
  while (story.size() < 100'000) story += "Once upon a time, 123 girls  couldn't find\n the ball. ";
  for (const char* family : {"gpt2", "llama3", "qwen2", "smollm", "llama2", "metaspace"}) {
    INFO(family);
    const auto tokenizer = golden(family);
    for (const std::string& text : {story, std::string(100'000, 'a'), std::string(100'000, ' ') + "a",
                                    std::string(100'000, '<'), std::string(100'000, '\n')}) {
      const std::vector<TokenId> tokens = tokenizer->encode(text);  // hours, if a step looked at all that is left
      CHECK(tokens.size() < text.size() + 2);
      if (std::string(family) != "metaspace") CHECK(tokenizer->decode(tokens) == text);
    }
  }
}
