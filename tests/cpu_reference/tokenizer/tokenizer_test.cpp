#include "cpu_reference/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/bpe_merge.h"
#include "cpu_reference/tokenizer/spm_tokenizer.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"
#include "tests/support/catch.h"
#include "tests/support/refusal.h"
#include "tests/support/scratch.h"
#include "tests/support/shared_data.h"
#include "tests/support/word_tokenizer.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

constexpr TokenId kBegin{1}, kEnd{2};

std::vector<Piece> with_bytes(std::vector<Piece> more) {
  std::vector<Piece> pieces{{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({fmt::format("<0x{:02X}>", byte), 0});
  pieces.insert(pieces.end(), more.begin(), more.end());
  return pieces;
}

/// The pieces of the tokens between bars: " once|,|<0x0A>".
std::string show(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string text;
  for (const TokenId token : tokens) text += (text.empty() ? "" : "|") + tokenizer.name(token);
  return text;
}

std::vector<TokenId> merge(const SpmTokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  return merge_pairs([&](TokenId left, TokenId right) { return tokenizer.join(left, right); }, tokens).tokens;
}

// The oracle: scans all pairs before each merge.
std::vector<TokenId> merge_naively(const SpmTokenizer& tokenizer, std::vector<TokenId> tokens) {
  while (true) {
    std::optional<std::size_t> best;
    std::optional<Join> best_join;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::optional<Join> join = tokenizer.join(tokens[i], tokens[i + 1]);
      if (!join || (best && join->score <= best_join->score)) continue;
      best = i;
      best_join = join;
    }
    if (!best) return tokens;
    tokens[*best] = best_join->token;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
}

// --- making tokenizer files

void put(std::string& file, std::int32_t number) {
  for (int shift = 0; shift < 32; shift += 8)
    file += static_cast<char>((static_cast<std::uint32_t>(number) >> shift) & 255U);
}
void put(std::string& file, float number) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  put(file, bits);
}
std::string tokenizer_file(const std::vector<Piece>& pieces) {
  std::int32_t longest = 0;
  for (const Piece& piece : pieces) longest = std::max(longest, static_cast<std::int32_t>(piece.bytes.size()));
  std::string file;
  put(file, longest);
  for (const Piece& piece : pieces) {
    put(file, piece.score);
    put(file, static_cast<std::int32_t>(piece.bytes.size()));
    file += piece.bytes;
  }
  return file;
}

}  // namespace

TEST_CASE("the pair with the best score is joined first, and the leftmost of equals") {
  const auto tokenizer = llama2c_tokenizer(with_bytes({{"a", 0}, {"b", 0}, {"c", 0}, {"ab", 1}, {"bc", 2}, {"aa", 3}}));
  CHECK(show(*tokenizer, tokenizer->encode("abc")) == "<s>|<0x20>|a|bc");  // bc (2) before ab (1)
  CHECK(show(*tokenizer, tokenizer->encode("aaa")) == "<s>|<0x20>|aa|a");
  CHECK(show(*tokenizer, tokenizer->encode("abab")) == "<s>|<0x20>|ab|ab");
}

TEST_CASE("a space is put before the text, so that a word has one token wherever it stands") {
  const auto tokenizer = llama2c_tokenizer(with_bytes({{" ", 0}, {"a", 0}, {" a", 1}}));
  CHECK(show(*tokenizer, tokenizer->encode("a a")) == "<s>| a| a");
  CHECK(tokenizer->decode(tokenizer->encode("a a")) == "a a");
  CHECK(tokenizer->decode(tokenizer->encode(" a")) == " a");  // only the space that encode put there is taken off
}

TEST_CASE("an empty text is the begin token alone") {
  const auto tokenizer = llama2c_tokenizer(with_bytes({{" ", 0}}));
  CHECK(tokenizer->encode("") == std::vector{kBegin});
  CHECK(tokenizer->decode({kBegin}) == "");
}

TEST_CASE("what has no piece becomes bytes, and comes back from them") {
  const auto tokenizer = llama2c_tokenizer(with_bytes({{" ", 0}, {"é", 0}}));
  CHECK(show(*tokenizer, tokenizer->encode("é人\xFF")) == "<s>| |é|<0xE4>|<0xBA>|<0xBA>|<0xFF>");
  CHECK(tokenizer->decode(tokenizer->encode("é人\xFF")) == "é人\xFF");
}

TEST_CASE("text never spells a special token or a byte token") {
  const auto tokenizer = llama2c_tokenizer(with_bytes(
      {{"<", 0}, {"0", 0}, {"x", 0}, {"4", 0}, {"1", 0}, {">", 0}, {"<0", 0}, {"<0x", 0}, {"<0x4", 0}, {"<0x41", 0}}));
  CHECK(show(*tokenizer, tokenizer->encode("<0x41>")) == "<s>|<0x20>|<0x41|>");
  CHECK(tokenizer->decode(tokenizer->encode("<0x41>")) == "<0x41>");
  CHECK(tokenizer->decode(tokenizer->encode("<unk><s>")) == "<unk><s>");
}

TEST_CASE("special tokens have names but add no text") {
  const auto tokenizer = llama2c_tokenizer(with_bytes({{"a", 0}}));
  CHECK(tokenizer->name(kBegin) == "<s>");
  CHECK(tokenizer->name(kEnd) == "</s>");
  CHECK(tokenizer->decode({kBegin, TokenId{259}, kEnd}) == "a");
  CHECK_THROWS_AS(tokenizer->decode({TokenId{260}}), MisuseError);
  CHECK_THROWS_AS(tokenizer->name(TokenId{-1}), MisuseError);
}

TEST_CASE("without byte tokens a character that has no piece is an error that shows it") {
  const auto tokenizer = llama2c_tokenizer({{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {" ", 0}, {"a", 0}});
  CHECK(tokenizer->decode(tokenizer->encode("aa")) == "aa");
  CHECK_THROWS_AS(tokenizer->encode("a\xE2"), InputError);
  CHECK_THROWS_WITH(tokenizer->encode("a\xE2"), contains("<0xE2>"));
}

TEST_CASE("any bytes come back from their tokens") {
  const auto tokenizer = kvarium_test::word_tokenizer();
  const unsigned seed = 11;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % 40, '\0');
    // Half of the rounds: letters and spaces, which merge; the others: any byte.
    for (char& byte : bytes) byte = round % 2 == 0 ? " theando"[random() % 8] : static_cast<char>(random() % 256);
    REQUIRE(tokenizer->decode(tokenizer->encode(bytes)) == bytes);
  }
}

TEST_CASE("the fast merge gives what scanning all pairs gives") {
  const auto words = kvarium_test::word_tokenizer();
  // All scores equal: position alone decides.
  std::vector<Piece> flat = words->pieces();
  for (Piece& piece : flat) piece.score = 0;
  const auto ties = llama2c_tokenizer(flat);
  const unsigned seed = 12;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 400; ++round) {
    std::vector<TokenId> characters;
    for (std::size_t left = random() % 60; left > 0; --left) {
      const std::string_view letters = " theandoriswun\n";
      characters.push_back(*words->find(letters.substr(random() % letters.size(), 1)));
      if (random() % 16 == 0)
        characters.push_back(TokenId{static_cast<std::int32_t>(random() % 259)});  // special or byte
    }
    REQUIRE(merge(*words, characters) == merge_naively(*words, characters));
    REQUIRE(merge(*ties, characters) == merge_naively(*ties, characters));
  }
  CHECK(merge(*words, {}).empty());
}

TEST_CASE("the fast merge gives what scanning gives with any vocabulary") {
  const unsigned seed = 13;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto letters = [&](std::size_t length) {
    std::string text(length, 'a');
    for (char& letter : text) letter = "abc"[random() % 3];
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Piece> pieces{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"a", 0}, {"b", 0}, {"c", 0}};
    for (int i = 0; i < 40; ++i) pieces.push_back({letters(2 + random() % 4), static_cast<float>(random() % 8)});
    const auto tokenizer = llama2c_tokenizer(pieces);
    std::vector<TokenId> characters;
    for (const char letter : letters(40)) characters.push_back(TokenId{3 + (letter - 'a')});
    REQUIRE(merge(*tokenizer, characters) == merge_naively(*tokenizer, characters));
  }
}

TEST_CASE("a prompt of 100,000 characters is encoded at once") {
  const auto tokenizer = kvarium_test::word_tokenizer();
  std::string story;
  while (story.size() < 100'000) story += "Once upon a time there was a little girl who wanted a big red ball. ";
  const std::vector<TokenId> tokens = tokenizer->encode(story);  // hours, if each of 80,000 merges scanned all pairs
  CHECK(tokens.size() < story.size() / 3);
  CHECK(tokenizer->decode(tokens) == story);
  const std::string same(100'000, 'a');
  CHECK(tokenizer->decode(tokenizer->encode(same)) == same);
}

TEST_CASE("the word tokenizer knows whole words, each with its space") {
  const auto tokenizer = kvarium_test::word_tokenizer();
  CHECK(tokenizer->vocab() == kvarium_test::kWordVocab);
  CHECK(show(*tokenizer, tokenizer->encode("Once upon a time, there was a girl.")) ==
        "<s>| Once| upon| a| time|,| there| was| a| girl|.");
  for (const std::string& word : kvarium_test::tokenizer_words()) {
    INFO("word" << word);
    CHECK(tokenizer->encode(word.substr(1)).size() == 2);  // <s> and the word
  }
}

TEST_CASE("byte pair encoding learns the most frequent pair first") {
  // weights 3, 2, 1: "th" counts 5, "he" 3, " t" 3; " " before "c" 2, ...
  CHECK(kvarium_test::learn_pieces({"the", "th", "t"}, 9) == std::vector<std::string>{"th", "the"});
  CHECK(kvarium_test::learn_pieces({"the", "th", "t"}, 1) == std::vector<std::string>{"th"});
  CHECK(kvarium_test::learn_pieces({}, 5).empty());
}

TEST_CASE("a tokenizer file gives its pieces") {
  const std::vector<Piece> pieces = with_bytes({{" a", -1.5F}, {"é", 2}});
  const std::vector<Piece> read = parse_tokenizer(tokenizer_file(pieces));
  REQUIRE(read.size() == pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(read[i].bytes == pieces[i].bytes);
    CHECK(read[i].score == pieces[i].score);
  }
}

TEST_CASE("a tokenizer file that is cut anywhere is refused, except between two pieces") {
  const std::string file = tokenizer_file({{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"a", 1}});
  int complete = 0;
  for (std::size_t length = 0; length < file.size(); ++length) {
    try {
      parse_tokenizer(file.substr(0, length));
      ++complete;
    } catch (const InputError& error) {
      INFO(error.what());
      CHECK_THAT(error.what(), contains("ends at byte " + std::to_string(length)));
    }
  }
  CHECK(complete == 4);  // after the header and after each piece but the last
}

TEST_CASE("a tokenizer file with impossible numbers is refused before anything is reserved for them") {
  const auto file = [](std::int32_t longest, float score, std::int32_t length) {
    std::string bytes;
    put(bytes, longest);
    put(bytes, score);
    put(bytes, length);
    return bytes + "abcd";
  };
  CHECK_NOTHROW(parse_tokenizer(file(4, 0, 4)));
  CHECK_THROWS_WITH(parse_tokenizer(file(-1, 0, 4)), contains("-1 bytes"));
  CHECK_THROWS_WITH(parse_tokenizer(file(0, 0, 4)), contains("0 bytes"));
  CHECK_THROWS_WITH(parse_tokenizer(file(4, 0, -4)), contains("is -4, outside 1..4"));
  CHECK_THROWS_WITH(parse_tokenizer(file(4, 0, 0)), contains("is 0, outside 1..4"));
  CHECK_THROWS_WITH(parse_tokenizer(file(4, 0, 5)), contains("is 5, outside 1..4"));
  CHECK_THROWS_WITH(parse_tokenizer(file(INT32_MAX, 0, INT32_MAX)), contains("inside piece 0"));
  CHECK_THROWS_WITH(parse_tokenizer(file(4, std::nanf(""), 4)), contains("score of piece 0 is nan"));
  CHECK_THROWS_WITH(parse_tokenizer(file(4, HUGE_VALF, 4)), contains("score of piece 0 is inf"));
}

TEST_CASE("a tokenizer file that flips any bit is read or refused, never more") {
  const std::string file = tokenizer_file({{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"ab", 1}});
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    try {
      const auto tokenizer = llama2c_tokenizer(parse_tokenizer(flipped));
      CHECK(tokenizer->vocab() >= 3);
    } catch (const InputError& error) {
      CHECK_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST_CASE("loading names the file and what is wrong with it") {
  const auto three = tokenizer_file({{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}});
  const kvarium_test::ScratchFolder folder;
  const auto good = folder.write("good.bin", three);
  CHECK(load_tokenizer(good, 3)->vocab() == 3);
  CHECK(load_tokenizer(good, {})->vocab() == 3);
  CHECK_THROWS_WITH(load_tokenizer(good, 512), contains("3 pieces, but the model's vocabulary has 512"));
  CHECK_THROWS_WITH(load_tokenizer("no/such/file.bin", {}), contains("tokenizer no/such/file.bin: it cannot be read"));
  CHECK_THROWS_AS(load_tokenizer(std::filesystem::temp_directory_path(), {}), InputError);
  const auto empty = folder.write("empty.bin", "");
  CHECK_THROWS_WITH(load_tokenizer(empty, {}), contains("ends at byte 0, inside the header"));
  const auto header = folder.write("header.bin", three.substr(0, 4));
  CHECK_THROWS_WITH(load_tokenizer(header, {}), contains("0 pieces lacks"));
}

TEST_CASE("what is wrong with a tokenizer file is said in the chosen language") {
  set_catalogue({{"it ends at byte {}, inside {}: is the file complete?", "{} | {}"}, {"the header", "der Kopf"}});
  const std::string said = kvarium_test::refusal([] { parse_tokenizer(""); });
  set_catalogue({});
  CHECK(said == "0 | der Kopf");
}

TEST_CASE("the stories tokenizer gives the tokens and the text that llama2.c gave") {
  const std::filesystem::path folder = kvarium_test::shared_data_folder();
  std::ifstream golden_file(folder / "stories260K.golden.json");
  if (!golden_file) {
    WARN("skipped: " << folder.string() << "/stories260K.golden.json is missing");
    return;
  }
  const auto golden = nlohmann::json::parse(golden_file);
  std::vector<TokenId> expected;
  for (const std::int32_t token : golden["tokens"]) expected.push_back(TokenId{token});

  const auto tokenizer = load_tokenizer(folder / "tok512.bin", 512);
  const std::vector<TokenId> prompt = tokenizer->encode(golden["prompt"].get<std::string>());
  REQUIRE(prompt.size() < expected.size());
  CHECK(prompt ==
        std::vector<TokenId>(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(prompt.size())));
  // The text has one token more: the one that the logits of the 64th choose.
  std::vector<float> logits(64 * 512);
  std::ifstream logits_file(folder / "stories260K.logits.f32", std::ios::binary);
  REQUIRE(logits_file.read(reinterpret_cast<char*>(logits.data()),
                           static_cast<std::streamsize>(logits.size() * sizeof(float))));
  expected.push_back(argmax(std::span<const float>(logits).last(512)));
  CHECK(tokenizer->decode(expected) == golden["text"].get<std::string>());
}
