#include "cpu_reference/tokenizer/tokenizer_json.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_path.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using Json = nlohmann::json;

namespace {

/// A folder with a tokenizer.json and what else is written into it.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::shared_ptr<const Tokenizer> load(std::optional<std::size_t> vocab = {}) const {
    return tokenizer_from_json(path_ / "tokenizer.json", vocab);
  }

 private:
  std::filesystem::path path_ = kvarium_test::temp_path("tokenizer");
};

/// a, b, ab in bytes, and a token that ends a turn.
Json byte_level() {
  return {{"model", {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}}, {"merges", {"a b"}}}},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"added_tokens", {{{"id", 3}, {"content", "<|im_end|>"}, {"special", true}}}}};
}

std::shared_ptr<const Tokenizer> load(const Json& json, std::optional<std::size_t> vocab = {}) {
  const Folder folder;
  folder.write("tokenizer.json", json.dump());
  return folder.load(vocab);
}

/// The complaint about the file after one of its values was changed; "accepted".
std::string complaint(const std::string& place, const Json& value) {
  Json json = byte_level();
  json[Json::json_pointer(place)] = value;
  try {
    load(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a tokenizer.json gives its pieces, merges and added tokens") {
  const auto tokenizer = load(byte_level());
  CHECK(tokenizer->vocab() == 4);
  CHECK(tokenizer->encode("abba") == std::vector{TokenId{2}, TokenId{1}, TokenId{0}});
  CHECK(tokenizer->is_end(TokenId{3}));  // by its name
  CHECK(tokenizer->begin() == std::nullopt);
}

TEST_CASE("merges may be pairs, so that a side may hold a space") {
  Json json = byte_level();
  json["model"]["merges"] = Json::array({Json::array({"a", "b"})});
  CHECK(load(json)->encode("ab") == std::vector{TokenId{2}});
}

TEST_CASE("a quoted control token stays text, though merges would join its characters") {
  Json json = byte_level();
  json["model"]["vocab"] = {{"<", 0}, {">", 1}, {"|", 2}, {"<|", 3}, {"<|>", 4}};
  json["model"]["merges"] = {"< |", "<| >"};
  json["added_tokens"] = {{{"id", 4}, {"content", "<|>"}, {"special", true}}};
  const Json bytes = json;
  json["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}, {"split", false}};
  for (const auto& tokenizer : {load(bytes), load(json)}) {
    CHECK(tokenizer->encode("<|>") == std::vector{TokenId{3}, TokenId{1}});
    CHECK(tokenizer->encode_with_specials({"<|><|>", {{0, 3}}}) == std::vector{TokenId{3}, TokenId{1}, TokenId{4}});
    CHECK(tokenizer->decode(tokenizer->encode("<|>")) == "<|>");
  }
}

TEST_CASE("merges join no byte tokens, and no others into one") {
  Json json = byte_level();
  json["added_tokens"] = nullptr;
  json["model"]["byte_fallback"] = true;
  json["model"]["vocab"] = {{"<0x41", 0}, {">", 1}, {"<0x41>", 2}, {"b", 3},   {"<0x41>b", 4}, {"<", 5},    {"0", 6},
                            {"x", 7},     {"4", 8}, {"1", 9},      {"<0", 10}, {"<0x", 11},    {"<0x4", 12}};
  json["model"]["merges"] = {"< 0", "<0 x", "<0x 4", "<0x4 1", "<0x41 >", "<0x41> b"};
  json["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}};
  const auto tokenizer = load(json);
  CHECK(tokenizer->encode("<0x41>b") == std::vector{TokenId{0}, TokenId{1}, TokenId{3}});
  CHECK(tokenizer->encode("Ab") == std::vector{TokenId{2}, TokenId{3}});
}

TEST_CASE("an added token that is to be found in the normalized text is refused where that is another text") {
  const auto refused = [](const Json& normalizer, const std::string& text, bool normalized) {
    Json json = byte_level();
    json["normalizer"] = normalizer;
    json["added_tokens"][0].update({{"content", text}, {"normalized", normalized}});
    if (normalizer.value("type", "") != "NFC") json["pre_tokenizer"] = nullptr;
    try {
      load(json);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), contains("added_tokens[0]: it is to be found in text that the normalizer has changed"));
      return true;
    }
    return false;
  };
  const Json nfc{{"type", "NFC"}};
  const Json replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  const Json prepend{{"type", "Prepend"}, {"prepend", "▁"}};
  const Json llama{{"type", "Sequence"}, {"normalizers", {prepend, replace}}};
  CHECK_FALSE(refused(nfc, "<\u00e9>", true));
  CHECK(refused(nfc, "<e\u0301>", true));
  CHECK_FALSE(refused(nfc, "<e\u0301>", false));
  CHECK_FALSE(refused(replace, "<s>", true));
  CHECK(refused(replace, "a b", true));
  CHECK(refused(replace, "a▁b", true));
  CHECK_FALSE(refused(replace, "a b", false));
  CHECK(refused(llama, "<s>", true));
  CHECK_FALSE(refused(llama, "<s>", false));
}

TEST_CASE("ids without a piece, and rows that only the model has, are unused tokens with a name and no text") {
  Json json = byte_level();
  json["added_tokens"][0]["id"] = 6;
  const auto tokenizer = load(json, 9);
  CHECK(tokenizer->vocab() == 9);
  CHECK(tokenizer->name(TokenId{4}) == "<unused 4>");
  CHECK(tokenizer->decode({TokenId{4}, TokenId{0}, TokenId{8}}) == "a");
  CHECK_THROWS_WITH(load(json, 6), contains("tokenizer.json: it has 7 pieces, but the model's vocabulary has 6"));
}

TEST_CASE("the files beside it tell the begin token, the ends and the chat template") {
  const Folder folder;
  Json json = byte_level();
  json["added_tokens"].push_back({{"id", 4}, {"content", "<s>"}, {"special", true}});
  folder.write("tokenizer.json", json.dump());
  folder.write("tokenizer_config.json",
               R"({"bos_token":{"content":"<s>"},"eos_token":"b","add_bos_token":true,
                   "chat_template":[{"name":"other","template":"x"},{"name":"default","template":"y"}]})");
  folder.write("generation_config.json", R"({"eos_token_id":[3,0]})");
  const auto tokenizer = folder.load();
  CHECK(tokenizer->encode("a") == std::vector{TokenId{4}, TokenId{0}});
  CHECK(tokenizer->end_tokens() == std::vector{TokenId{1}, TokenId{3}, TokenId{0}});
  CHECK(tokenizer->chat_template() == "y");
  folder.write("chat_template.jinja", "z");
  CHECK(folder.load()->chat_template() == "z");
  folder.write("chat_template.jinja", "");  // says nothing
  CHECK(folder.load()->chat_template() == "y");
  folder.write("chat_template.jinja", std::string(1U << 20U, 'x'));
  CHECK(folder.load()->chat_template().size() == 1U << 20U);
  folder.write("chat_template.jinja", std::string((1U << 20U) + 1, 'x'));
  CHECK_THROWS_WITH(folder.load(), contains("chat_template.jinja: with 1048577 bytes it is too large"));
  folder.write("chat_template.jinja", "");
  folder.write("generation_config.json", R"({"eos_token_id":5})");
  CHECK_THROWS_WITH(folder.load(), contains("generation_config.json: eos_token_id: a whole number from 0 to 4"));
  folder.write("tokenizer_config.json", R"({"bos_token":"<x>"})");
  CHECK_THROWS_WITH(folder.load(), contains("tokenizer_config.json: bos_token: <x> is no piece"));
}

TEST_CASE("parts that are not supported are named") {
  CHECK_THAT(complaint("/model/type", "Unigram"), contains("model.type: Unigram is not supported; BPE is"));
  CHECK_THAT(complaint("/model/end_of_word_suffix", "</w>"), contains("model.end_of_word_suffix"));
  CHECK_THAT(complaint("/model/dropout", 0.1), contains("model.dropout"));
  CHECK_THAT(complaint("/normalizer", {{"type", "Lowercase"}}), contains("normalizer: Lowercase is not supported"));
  CHECK_THAT(complaint("/pre_tokenizer", {{"type", "Whitespace"}}), contains("pre_tokenizer: Whitespace is not"));
  CHECK_THAT(complaint("/pre_tokenizer", nullptr), contains("neither bytes (ByteLevel) nor spaces"));
  const Json split{{"type", "Split"}, {"pattern", {{"Regex", "x+"}}}, {"behavior", "Isolated"}, {"invert", false}};
  CHECK_THAT(complaint("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split}}}),
             contains("pre_tokenizer.pretokenizers[0]: the pattern x+ is not known"));
  CHECK_THAT(complaint("/added_tokens/0/single_word", true), contains("added_tokens[0]: single_word"));
  CHECK_THAT(complaint("/post_processor", {{"type", "RobertaProcessing"}}), contains("RobertaProcessing is not"));
}

TEST_CASE("values of a wrong kind, missing parts and impossible ids are refused, and the place is told") {
  CHECK_THAT(complaint("/model", nullptr), contains("model: an object is expected, not nothing"));
  CHECK_THAT(complaint("/model/vocab", Json::array()), contains("model.vocab: an object is expected, not array"));
  CHECK_THAT(complaint("/model/vocab", Json::object()), contains("model.vocab: it is empty"));
  CHECK_THAT(complaint("/model/vocab/a", -1), contains("model.vocab.a: a whole number from 0 to"));
  CHECK_THAT(complaint("/model/vocab/a", 0.5), contains("model.vocab.a: a whole number"));
  CHECK_THAT(complaint("/model/vocab/a", 1e300), contains("model.vocab.a: a whole number"));
  CHECK_THAT(complaint("/model/vocab/a", UINT64_MAX), contains("model.vocab.a: a whole number"));
  CHECK_THAT(complaint("/model/vocab/a", 4'000'000), contains("id 4000000 leaves too many ids before it"));
  CHECK_THAT(complaint("/model/vocab/a", 1), contains("model.vocab: the id 1 is given to a and to b"));
  CHECK_THAT(complaint("/added_tokens/0/id", 2), contains("the id 2 is given to ab and to <|im_end|>"));
  CHECK_THAT(complaint("/added_tokens/0/content", 7), contains("added_tokens[0].content: a text is expected"));
  CHECK_THAT(complaint("/added_tokens", "x"), contains("added_tokens: an array is expected, not string"));
  CHECK_THAT(complaint("/model/merges", nullptr), contains("model.merges"));
  CHECK_THAT(complaint("/model/merges/0", "ab"), contains("ab is no merge"));
  CHECK_THAT(complaint("/model/merges/0", "b a"), contains("merge 0 joins b and a, but ba is no piece"));
  CHECK_THAT(complaint("/model/merges/0", 3), contains("merge 0 is neither a text nor a pair"));
  CHECK_THAT(complaint("/pre_tokenizer/type", Json::array()), contains("pre_tokenizer.type: a text is expected"));
}

TEST_CASE("a file that is cut anywhere is refused") {
  const std::string text = byte_level().dump();
  for (std::size_t length = 0; length < text.size(); length += 7) {
    const Folder folder;
    folder.write("tokenizer.json", text.substr(0, length));
    CHECK_THROWS_AS(folder.load(), InputError);
  }
  const Folder folder;
  CHECK_THROWS_WITH(folder.load(), contains("tokenizer.json"));
  folder.write("tokenizer.json", std::string(100'000, '['));
  CHECK_THROWS_AS(folder.load(), InputError);
}
