#include "cpu_reference/loaders/gguf_file.h"

#include <cstring>

#include "tests/support/gguf_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/scratch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::gguf_text;
using kvarium_test::GgufWriter;
using kvarium_test::number_bytes;
using kvarium_test::ScratchFolder;

namespace {

const std::filesystem::path kGolden = std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/files/small.gguf";

std::string refused(const std::string& bytes) {
  const ScratchFolder folder;
  const auto path = folder.write("model.gguf", bytes);
  const std::string line = kvarium_test::refusal([&] { open_gguf(path); });
  CHECK_THAT(line, contains("model file " + path.string() + ": "));
  return line;
}

/// Notation: "name TYPE [outer][inner] bytes", one after the other by name.
std::string show(const TensorTable& table) {
  std::string text;
  for (const auto& [key, tensor] : table.all()) {
    text += fmt::format("{}{} {} {} {}", text.empty() ? "" : " | ", key, name(tensor.type), shape_text(tensor.shape),
                        tensor.bytes.size());
  }
  return text;
}

std::string floats(std::size_t count) { return std::string(4 * count, '\0'); }

}  // namespace

TEST_CASE("a GGUF file of the official package is read: every kind of value") {
  const GgufFile gguf = open_gguf(kGolden);
  const GgufMetadata& keys = gguf.metadata;
  CHECK(gguf.version == 3);
  CHECK(keys.text("general.architecture") == "llama");
  CHECK(keys.whole("k.u8") == 200U);
  CHECK(keys.real("k.i8") == -5);
  CHECK(keys.whole("k.u16") == 60000U);
  CHECK(keys.real("k.i16") == -300);
  CHECK(keys.whole("k.u32") == 4000000000U);
  CHECK(keys.real("k.i32") == -7);
  CHECK(keys.real("k.f32") == 0.25);
  CHECK(keys.boolean("k.bool") == true);
  CHECK(keys.text("k.text") == "grüezi");
  CHECK(keys.whole("k.u64") == std::uint64_t{1} << 63U);
  CHECK(keys.real("k.i64") == -0x1p62);
  CHECK(keys.real("k.f64") == 1e300);
  CHECK(keys.texts("k.texts") == std::vector<std::string_view>{"a", "", "▁b"});
  CHECK(keys.integers("k.integers") == std::vector<std::int64_t>{3, -1, 2});
  CHECK(keys.reals("k.reals") == std::vector<float>{0.5F, -1.5F});
  CHECK(!keys.whole("k.none"));
}

TEST_CASE("a GGUF file of the official package is read: every type of tensor, the outermost side first") {
  const GgufFile gguf = open_gguf(kGolden);
  CHECK(show(gguf.tensors) ==
        "bf16 BF16 [2][64] 256 | f16 F16 [1][2] 4 | f32 F32 [2][3] 24 | q4_0 Q4_0 [2][64] 72 | q4_1 Q4_1 [2][64] 80 | "
        "q4_k Q4_K [3][256] 432 | q5_0 Q5_0 [2][64] 88 | q5_1 Q5_1 [2][64] 96 | q6_k Q6_K [3][256] 630 | "
        "q8_0 Q8_0 [2][64] 136");
  float last = 0;
  std::memcpy(&last, gguf.tensors.find("f32")->bytes.data() + 20, 4);
  CHECK(last == 5);
  CHECK(gguf.tensors.find("q6_k")->bytes.back() == std::byte{629 % 256});
  CHECK(gguf.tensors.find("no such tensor") == nullptr);
}

TEST_CASE("GGUF version 2 differs in its number only") {
  GgufWriter writer;
  writer.version = 2;
  writer.text("general.architecture", "llama").tensor({"a", {3}, 0, floats(3)});
  const ScratchFolder folder;
  CHECK(show(open_gguf(folder.write("model.gguf", writer.bytes())).tensors) == "a F32 [3] 12");
}

TEST_CASE("a file that is no GGUF of a supported version is refused by name") {
  CHECK_THAT(refused("GGU"), contains("the mark of the format at byte 0 needs 4 bytes and 3 are left"));
  CHECK_THAT(refused("lorem ipsum dolor"), contains("does not begin with \"GGUF\""));
  GgufWriter writer;
  writer.version = 1;
  CHECK_THAT(refused(writer.bytes()), contains("GGUF version 1 is not supported"));
  writer.version = 0x03000000;
  CHECK_THAT(refused(writer.bytes()), contains("big-endian"));
}

TEST_CASE("counts that the file cannot hold are refused before memory is taken for them") {
  GgufWriter writer;
  writer.num_tensors = 1'000'000'000;
  CHECK_THAT(refused(writer.bytes()), contains("1000000000 tensors at byte 24 need at least 24 bytes each and 8 are"));
  writer.num_tensors = 0;
  writer.num_keys = std::uint64_t{1} << 63U;
  CHECK_THAT(refused(writer.bytes()), contains("9223372036854775808 keys at byte 24"));
  // A file may be large and empty: a sparse one costs its maker nothing.
  writer.num_keys = 0;
  writer.num_tensors = 100'001;
  CHECK_THAT(refused(writer.bytes() + std::string(24 * 100'001, '\0')),
             contains("100001 tensors and 0 keys are more than"));
}

TEST_CASE("a text of 2^60 bytes is refused") {
  const std::string huge = number_bytes(std::uint64_t{1} << 60U);
  GgufWriter value;
  CHECK_THAT(refused(value.raw("a", 8, huge).bytes()), contains("a at byte 45 needs 1152921504606846976 bytes"));
  GgufWriter key;
  key.num_keys = 1;
  CHECK_THAT(refused(key.bytes().substr(0, 24) + huge + std::string(40, ' ')), contains("a key at byte 32 needs 115"));
  GgufWriter elements;
  elements.raw("a", 9, number_bytes(std::uint32_t{8}) + huge);
  CHECK_THAT(refused(elements.bytes()), contains("1152921504606846976 a at byte"));
  GgufWriter numbers;  // of 8 bytes each: 2^61 * 8 would be 0
  numbers.raw("a", 9, number_bytes(std::uint32_t{10}) + number_bytes(std::uint64_t{1} << 61U));
  CHECK_THAT(refused(numbers.bytes()), contains("2305843009213693952 a at byte"));
}

TEST_CASE("arrays in arrays in arrays end somewhere") {
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += number_bytes(std::uint32_t{9}) + number_bytes(std::uint64_t{1});
  GgufWriter writer;
  CHECK_THAT(refused(writer.raw("a", 9, nested).bytes()), contains("nested more than 4 deep"));
}

TEST_CASE("a key or a tensor that is given twice is refused") {
  GgufWriter keys;
  CHECK_THAT(refused(keys.u32("a", 1).u32("a", 2).bytes()), contains("the key a is given twice"));
  GgufWriter tensors;
  tensors.tensor({"a", {1}, 0, floats(1)}).tensor({"a", {1}, 0, floats(1)});
  CHECK_THAT(refused(tensors.bytes()), contains("there are two tensors a"));
}

TEST_CASE("a type that GGUF does not have is refused, one that Kvarium does not read is named") {
  GgufWriter value;
  CHECK_THAT(refused(value.raw("a", 13, "x").bytes()), contains("a has the type 13, which GGUF does not have"));
  GgufWriter tensor;
  tensor.tensor({"a", {256}, 23, std::string(136, 'x')});
  CHECK_THAT(refused(tensor.bytes()), contains("tensor a has the type IQ4_XS, which is not supported: use F32"));
  GgufWriter unknown;
  CHECK_THAT(refused(unknown.tensor({"a", {1}, 99, "x"}).bytes()), contains("tensor a has the unknown type 99"));
}

TEST_CASE("shapes that overflow, or that the type cannot have, are refused") {
  const std::uint64_t huge = std::uint64_t{1} << 40U;
  GgufWriter product;
  CHECK_THAT(refused(product.tensor({"a", {huge, huge}, 0, ""}).bytes()), contains("more numbers than 64 bits count"));
  GgufWriter bytes;
  CHECK_THAT(refused(bytes.tensor({"a", {huge, std::uint64_t{1} << 23U}, 0, ""}).bytes()),
             contains("more bytes than 64 bits count"));
  GgufWriter blocks;
  CHECK_THAT(refused(blocks.tensor({"a", {2, 33}, 8, std::string(80, 'x')}).bytes()),
             contains("rows that are no whole number of Q8_0 blocks of 32"));
  GgufWriter sides;
  CHECK_THAT(refused(sides.tensor({"a", {1, 1, 1, 1, 1}, 0, floats(1)}).bytes()), contains("has 5 sides, not 1 to 4"));
}

TEST_CASE("tensors outside the file, or on bytes of each other, are refused") {
  GgufWriter outside;
  CHECK_THAT(refused(outside.tensor_at({"a", {9}, 0, floats(8)}, 0).bytes()),
             contains("tensor a has 36 bytes from 0 on and the file has 32"));
  GgufWriter wrapped;
  CHECK_THAT(refused(wrapped.tensor_at({"a", {8}, 0, floats(8)}, UINT64_MAX - 3).bytes()), contains("tensor a has 32"));
  GgufWriter shared;
  shared.tensor_at({"a", {8}, 0, floats(8)}, 0).tensor_at({"b", {8}, 0, floats(8)}, 28);
  CHECK_THAT(refused(shared.bytes()), contains("tensors a and b share bytes"));
}

TEST_CASE("an alignment must be a power of two") {
  const std::uint32_t alignment = GENERATE(0U, 24U, 1U << 31U);
  GgufWriter writer;
  CHECK_THAT(refused(writer.u32("general.alignment", alignment).bytes()), contains("no power of two"));
}

TEST_CASE("a GGUF file that ends anywhere is refused in one line") {
  GgufWriter writer;
  writer.u32("a", 1).texts("b", {"x", "y"}).tensor({"c", {2, 2}, 0, floats(4)});
  const std::string whole = writer.bytes();
  for (std::size_t length = 1; length + 16 < whole.size(); ++length) {  // the last 16 bytes are padding
    CAPTURE(length);
    REQUIRE_THAT(refused(whole.substr(0, length)), contains("model file"));
  }
}

TEST_CASE("a value of another kind than a reader expects is refused with both kinds") {
  GgufWriter writer;
  writer.u32("number", 1).text("text", "x").raw("below", 5, number_bytes(-1)).raw("bool", 7, "\2");
  writer.texts("texts", {"x"});
  const ScratchFolder folder;
  const GgufMetadata keys = open_gguf(folder.write("model.gguf", writer.bytes())).metadata;
  const auto line = [](const auto& get) { return kvarium_test::refusal(get); };
  CHECK_THAT(line([&] { keys.text("number"); }), contains("number is u32, expected a text"));
  CHECK_THAT(line([&] { keys.whole("text"); }), contains("text is text, expected a whole number"));
  CHECK_THAT(line([&] { keys.whole("below"); }), contains("below is below 0"));
  CHECK_THAT(line([&] { keys.boolean("bool"); }), contains("bool is 2, not 0 or 1"));
  CHECK_THAT(line([&] { keys.reals("texts"); }), contains("texts is an array of text, expected an array of f32"));
  CHECK_THAT(line([&] { keys.needed_whole("absent"); }), contains("it does not say absent"));
}

TEST_CASE("a name that is no text cannot break the one line of an error") {
  GgufWriter writer;
  writer.tensor({"a\nb\x01" + std::string(500, 'c'), {1}, 99, "x"});
  CHECK_THAT(refused(writer.bytes()), contains("tensor a<0x0A>b<0x01>ccc"));
}
