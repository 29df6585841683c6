#include "cpu_reference/loaders/llama2c.h"

#include <cstring>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/scratch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

template <typename Number>
void put(std::string& bytes, std::size_t offset, Number number) {
  std::memcpy(bytes.data() + offset, &number, sizeof(number));
}

// dim 8, hidden_dim 6, 2 layers, 4 query heads, 2 KV heads, 5 tokens, context 3: head_dim 2, KV width 4.
constexpr std::size_t kLayerFloats = 2 * 8 + 2 * 8 * 8 + 2 * 4 * 8 + 3 * 6 * 8;
constexpr std::size_t kParameters = 5 * 8 + 2 * kLayerFloats + 8;

/// Float i of the file is i + 1, so that each weight tells where it lay.
std::string numbered(std::string header, std::size_t floats) {
  const std::size_t start = header.size();
  header.resize(start + 4 * floats);
  for (std::size_t i = 0; i < floats; ++i) put(header, start + 4 * i, static_cast<float>(i + 1));
  return header;
}

std::string header_numbers(std::int32_t vocab) {
  std::string bytes(28, '\0');
  const std::int32_t numbers[7] = {8, 6, 2, 4, 2, vocab, 3};
  for (std::size_t i = 0; i < 7; ++i) put(bytes, 4 * i, numbers[i]);
  return bytes;
}

std::string legacy(bool shared) {
  return numbered(header_numbers(shared ? 5 : -5), kParameters + 3 * 2 + (shared ? 0 : 40));
}

std::string version1(bool shared) {
  std::string header(256, '\0');
  put(header, 0, std::uint32_t{0x616b3432});
  put(header, 4, std::int32_t{1});
  header.replace(8, 28, header_numbers(5));
  header[36] = shared ? '\1' : '\0';
  return numbered(header, kParameters + (shared ? 0 : 40));
}

std::string refusal(const std::string& bytes) {
  const kvarium_test::ScratchFolder folder;
  const std::string file = folder.write("model.bin", bytes).string();
  try {
    load_llama2c(file);
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK_THAT(what, contains(file));
    CHECK(what.find('\n') == std::string::npos);
    return what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a legacy checkpoint is read in its order, and the tables of RoPE are skipped") {
  const bool shared = GENERATE(true, false);
  const kvarium_test::ScratchFolder folder;
  const std::string file = folder.write("model.bin", legacy(shared)).string();
  const auto model = load_llama2c(file);
  const Weights& weights = model->weights;
  CHECK(model->config.shape.kv_heads == 2);
  CHECK(model->config.shape.head_dim == 2);
  CHECK(model->config.ffn_hidden == 6);
  CHECK(model->config.tied_head == shared);
  CHECK(weights.embedding.f32()(0, 0) == 1);
  CHECK(weights.embedding.f32()(4, 7) == 40);
  CHECK(weights.layers[0].attention_norm(0) == 41);
  CHECK(weights.layers[1].attention_norm(0) == 49);
  CHECK(weights.layers[0].query.f32()(0, 0) == 57);
  CHECK(weights.layers[0].query.f32()(1, 0) == 65);  // row-major
  CHECK(weights.layers[1].query.f32()(0, 0) == 121);
  CHECK(weights.layers[0].key.f32()(0, 0) == 185);
  CHECK(weights.layers[0].value.f32()(0, 0) == 249);
  CHECK(weights.layers[0].output.f32()(0, 0) == 313);
  CHECK(weights.layers[0].ffn_norm(0) == 441);
  CHECK(weights.layers[0].gate.f32()(0, 0) == 457);
  CHECK(weights.layers[0].down.f32()(0, 0) == 553);
  CHECK(weights.layers[0].up.f32()(0, 0) == 649);
  CHECK(weights.final_norm(0) == 745);
  CHECK(weights.final_norm(7) == 752);
  CHECK(weights.head.f32()(0, 0) == (shared ? 1 : 759));  // behind 3 * 2 numbers of RoPE
}

TEST_CASE("a version 1 checkpoint is read in its order: all norms first") {
  const bool shared = GENERATE(true, false);
  const kvarium_test::ScratchFolder folder;
  const std::string file = folder.write("model.bin", version1(shared)).string();
  const auto model = load_llama2c(file);
  const Weights& weights = model->weights;
  CHECK(model->config.tied_head == shared);
  CHECK(weights.layers[0].attention_norm(0) == 1);
  CHECK(weights.layers[1].attention_norm(0) == 9);
  CHECK(weights.layers[0].ffn_norm(0) == 17);
  CHECK(weights.final_norm(0) == 33);
  CHECK(weights.embedding.f32()(0, 0) == 41);
  CHECK(weights.layers[0].query.f32()(0, 0) == 81);
  CHECK(weights.layers[0].key.f32()(0, 0) == 209);
  CHECK(weights.layers[0].value.f32()(0, 0) == 273);
  CHECK(weights.layers[0].output.f32()(0, 0) == 337);
  CHECK(weights.layers[0].gate.f32()(0, 0) == 465);
  CHECK(weights.layers[0].down.f32()(0, 0) == 561);
  CHECK(weights.layers[0].up.f32()(0, 0) == 657);
  CHECK(weights.layers[1].up.f32()(5, 7) == 752);
  CHECK(weights.head.f32()(0, 0) == (shared ? 41 : 753));
}

TEST_CASE("a model file that is missing, a folder or empty is refused") {
  CHECK_THROWS_WITH(load_llama2c("/nowhere/model.bin"),
                    "model file /nowhere/model.bin: there is no such file: check the path");
  CHECK_THROWS_WITH(load_llama2c("/"), contains("it is not a file"));
  CHECK_THAT(refusal(""), contains("it is empty"));
}

TEST_CASE("a model file of any other length than its header asks for is refused") {
  const std::string whole = GENERATE(legacy(true), version1(false));
  REQUIRE(refusal(whole) == "accepted");
  for (std::size_t length = 1; length < whole.size(); length += 1 + length / 3) {
    CAPTURE(length);
    CHECK(refusal(whole.substr(0, length)) != "accepted");
  }
  CHECK_THAT(refusal(whole.substr(0, whole.size() - 1)), contains("truncated"));
  CHECK_THAT(refusal(whole + "x"), contains("longer than its weights"));
}

TEST_CASE("a header with any one bit flipped is refused, or makes no difference to where the weights lie") {
  const bool old = GENERATE(true, false);
  const std::string whole = old ? legacy(true) : version1(true);
  const std::size_t context_at = old ? 24 : 32;
  for (std::size_t bit = 0; bit < 8 * (old ? 28U : 37U); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    CAPTURE(bit);
    // The context of version 1 is not part of the length; every other number is.
    if (refusal(damaged) == "accepted") CHECK((!old && bit / 8 >= context_at && bit / 8 < context_at + 4));
  }
}

TEST_CASE("header numbers that are negative, zero, huge or overflow together are refused") {
  const auto with = [](std::size_t field, std::int32_t number) {
    std::string bytes = legacy(true);
    put(bytes, 4 * field, number);
    return refusal(bytes);
  };
  for (std::size_t field = 0; field < 7; ++field) {
    CAPTURE(field);
    for (const std::int32_t number : {0, -1, INT32_MIN, INT32_MAX, 1 << 30}) {
      CAPTURE(number);
      CHECK(with(field, number) != "accepted");
    }
  }
  CHECK_THAT(with(0, -8), contains("header number 1 is -8"));
  CHECK_THAT(with(4, 3), contains("4 query heads cannot share 3 KV heads evenly"));
  CHECK_THAT(with(3, 3), contains("8 cannot be divided into 3 query heads"));
  CHECK_THAT(with(3, 8), contains("even width"));

  std::string largest = legacy(true);  // every number at its limit: about 2^60 bytes
  const std::int32_t limits[7] = {1 << 20, 1 << 20, 1 << 12, 1 << 12, 1 << 12, 1 << 24, 1 << 24};
  for (std::size_t i = 0; i < 7; ++i) put(largest, 4 * i, limits[i]);
  CHECK_THAT(refusal(largest), contains("truncated"));
}

TEST_CASE("an unknown version and an unknown flag are refused") {
  std::string bytes = version1(true);
  put(bytes, 4, std::int32_t{2});
  CHECK_THAT(refusal(bytes), contains("version 2 is not supported"));
  bytes = version1(true);
  bytes[36] = 7;
  CHECK_THAT(refusal(bytes), contains("flag of the shared classifier is 7"));
}

TEST_CASE("a weight that is not a finite number is refused with its place") {
  const float number = GENERATE(NAN, INFINITY, -INFINITY);
  std::string bytes = legacy(true);
  put(bytes, 28 + 4 * (120 + 3), number);  // float 124 of the file: number 3 of wq of layer 1
  CHECK_THAT(refusal(bytes), contains("number 3 of wq of layer 1 is"));
}

TEST_CASE("a NaN in the tables of RoPE does not matter: they are not read") {
  std::string bytes = legacy(true);
  put(bytes, bytes.size() - 4, NAN);
  CHECK(refusal(bytes) == "accepted");
}
