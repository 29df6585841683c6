#include "cpu_reference/tokenizer/tokenizer_gguf.h"

#include <cstring>
#include <deque>
#include <string>

#include "core/error.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

/// Metadata without a file: it owns the bytes of its values.
class Keys {
 public:
  Keys& text(const std::string& key, const std::string& value) {
    return put(key, {GgufType::text, {}, 1, {}}, row(value));
  }
  Keys& whole(const std::string& key, std::uint32_t value) {
    return put(key, {GgufType::u32, {}, 1, {}}, number(value));
  }
  Keys& flag(const std::string& key, bool value) {
    return put(key, {GgufType::boolean, {}, 1, {}}, std::string(1, value ? '\1' : '\0'));
  }
  Keys& texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) bytes += row(value);
    return put(key, {GgufType::array, GgufType::text, values.size(), {}}, bytes);
  }
  Keys& integers(const std::string& key, const std::vector<std::int32_t>& values) {
    std::string bytes;
    for (const std::int32_t value : values) bytes += number(value);
    return put(key, {GgufType::array, GgufType::i32, values.size(), {}}, bytes);
  }
  Keys& reals(const std::string& key, const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values) bytes += number(value);
    return put(key, {GgufType::array, GgufType::f32, values.size(), {}}, bytes);
  }
  Keys& without(const std::string& key) {
    values_.erase(key);
    return *this;
  }
  std::shared_ptr<const Tokenizer> load(std::optional<std::size_t> vocab = {}) const {
    return tokenizer_from_gguf(GgufMetadata(nullptr, values_), vocab);
  }

 private:
  template <class Number>
  static std::string number(Number value) {  // every machine that runs the tests is little-endian
    std::string bytes(sizeof(value), '\0');
    std::memcpy(bytes.data(), &value, sizeof(value));
    return bytes;
  }
  static std::string row(const std::string& text) { return number(std::uint64_t{text.size()}) + text; }
  Keys& put(const std::string& key, GgufValue value, std::string bytes) {
    bytes_.push_back(std::move(bytes));
    value.bytes = std::as_bytes(std::span<const char>(bytes_.back()));
    values_[key] = value;
    return *this;
  }

  std::deque<std::string> bytes_;
  std::map<std::string, GgufValue, std::less<>> values_;
};

Keys sentence_piece() {
  Keys keys;
  keys.text("tokenizer.ggml.model", "llama")
      .texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x0A>", "▁", "a", "▁a"})
      .reals("tokenizer.ggml.scores", {0, 0, 0, 0, -3, -2, -1})
      .integers("tokenizer.ggml.token_type", {2, 3, 3, 6, 1, 1, 1})
      .whole("tokenizer.ggml.bos_token_id", 1)
      .whole("tokenizer.ggml.eos_token_id", 2);
  return keys;
}

Keys byte_level() {
  Keys keys;
  keys.text("tokenizer.ggml.model", "gpt2")
      .text("tokenizer.ggml.pre", "smollm")
      .texts("tokenizer.ggml.tokens", {"<|im_start|>", "<|im_end|>", "1", "2", "Ġ", "12"})
      .integers("tokenizer.ggml.token_type", {3, 3, 1, 1, 1, 1})
      .texts("tokenizer.ggml.merges", {"1 2"})
      .whole("tokenizer.ggml.bos_token_id", 0)
      .whole("tokenizer.ggml.eos_token_id", 1);
  return keys;
}

std::vector<TokenId> ids(std::initializer_list<std::int32_t> numbers) {
  std::vector<TokenId> tokens;
  for (const std::int32_t number : numbers) tokens.push_back(TokenId{number});
  return tokens;
}

}  // namespace

TEST_CASE("a GGUF file of the model llama gives SentencePiece's rules") {
  const auto tokenizer = sentence_piece().load();
  CHECK(tokenizer->encode("a a\n") == ids({1, 6, 6, 3}));
  CHECK(tokenizer->decode(tokenizer->encode("a a\n")) == "a a\n");
  CHECK(tokenizer->is_end(TokenId{2}));
  CHECK(sentence_piece().flag("tokenizer.ggml.add_space_prefix", false).load()->encode("a a") == ids({1, 5, 6}));
  CHECK(sentence_piece().flag("tokenizer.ggml.add_bos_token", false).load()->encode("a") == ids({6}));
}

TEST_CASE("a GGUF file of the model gpt2 gives byte pairs, cut by the named rule") {
  const auto smollm = byte_level().load();
  CHECK(smollm->encode("12 1") == ids({2, 3, 4, 2}));  // numbers one by one: "12" is never made
  const auto gpt2 = byte_level().text("tokenizer.ggml.pre", "gpt-2").load();
  CHECK(gpt2->encode("12 1") == ids({5, 4, 2}));
  const auto llama3 = byte_level().text("tokenizer.ggml.pre", "llama-bpe").load();
  CHECK(llama3->encode("12") == ids({0, 5}));  // its rule wants the begin token too
  CHECK(smollm->encode_with_specials("<|im_start|>1<|im_end|>") == ids({0, 2, 1}));
  CHECK(smollm->is_end(TokenId{1}));
  const auto prefixed = byte_level().flag("tokenizer.ggml.add_space_prefix", true).load();
  CHECK(prefixed->encode("1") == ids({2}));  // the key counts for SentencePiece only
}

TEST_CASE("the merges of a GGUF file join no text into a control token") {
  Keys keys = byte_level();
  keys.text("tokenizer.ggml.pre", "gpt-2")
      .texts("tokenizer.ggml.tokens", {"12", "<|im_end|>", "1", "2", "3", "23"})
      .texts("tokenizer.ggml.merges", {"1 2", "2 3"});
  CHECK(keys.load()->encode("123") == ids({2, 5}));  // "12" is a control token
}

TEST_CASE("a GGUF tokenizer that lacks something, or has too much, is refused by its key") {
  CHECK_THROWS_WITH(byte_level().text("tokenizer.ggml.model", "bert").load(), contains("model: bert is not supported"));
  CHECK_THROWS_WITH(byte_level().without("tokenizer.ggml.pre").load(), contains("tokenizer.ggml.pre"));
  CHECK_THROWS_WITH(byte_level().text("tokenizer.ggml.pre", "dbrx").load(), contains("dbrx is not supported; gpt-2"));
  CHECK_THROWS_WITH(byte_level().without("tokenizer.ggml.merges").load(), contains("tokenizer.ggml.merges"));
  CHECK_THROWS_WITH(byte_level().texts("tokenizer.ggml.merges", {"1 3"}).load(), contains("3 is no piece"));
  CHECK_THROWS_WITH(byte_level().texts("tokenizer.ggml.tokens", {}).load(), contains("tokenizer.ggml.tokens is empty"));
  CHECK_THROWS_WITH(byte_level().integers("tokenizer.ggml.token_type", {1}).load(), contains("has 1 rows"));
  CHECK_THROWS_WITH(byte_level().integers("tokenizer.ggml.token_type", {3, 3, 7, 1, 1, 1}).load(),
                    contains("row 2 is 7, outside 1..6"));
  CHECK_THROWS_WITH(byte_level().whole("tokenizer.ggml.eos_token_id", 6).load(), contains("is 6, outside"));
  CHECK_THROWS_WITH(byte_level().text("tokenizer.ggml.eos_token_id", "x").load(), contains("eos_token_id"));
  CHECK_THROWS_WITH(sentence_piece().without("tokenizer.ggml.scores").load(), contains("scores is missing"));
  CHECK_THROWS_WITH(sentence_piece().load(5), contains("it has 7 pieces, but the model's vocabulary has 5"));
  CHECK(sentence_piece().load(9)->vocab() == 9);
}
