#include "cpu_reference/loaders/safetensors.h"

#include <cstring>

#include "tests/support/gguf_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/scratch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::number_bytes;
using kvarium_test::ScratchFolder;

namespace {

/// The header's length, the header, and `data_bytes` zeros.
std::string safetensors(const std::string& header, std::size_t data_bytes) {
  return number_bytes(std::uint64_t{header.size()}) + header + std::string(data_bytes, '\0');
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& type = "F32") {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

std::string refused(const std::string& bytes) {
  const ScratchFolder folder;
  const auto path = folder.write("model.safetensors", bytes);
  const std::string line = kvarium_test::refusal([&] { open_safetensors(path); });
  CHECK_THAT(line, contains("model file " + path.string() + ": "));
  return line;
}

std::string refused(const std::string& header, std::size_t data_bytes) {
  return refused(safetensors(header, data_bytes));
}

float number_of(const TensorInfo& tensor, std::size_t index) {
  float number = 0;
  std::memcpy(&number, tensor.bytes.data() + 4 * index, 4);
  return number;
}

std::string index_of(const std::string& tensor, const std::string& shard) {
  return R"({"metadata": {"total_size": 4}, "weight_map": {")" + tensor + R"(": ")" + shard + "\"}}";
}

}  // namespace

TEST_CASE("a safetensors file of the official package is read") {
  const TensorTable table =
      open_safetensors(std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/files/small.safetensors");
  REQUIRE(table.find("a.f32") != nullptr);
  CHECK(shape_text(table.find("a.f32")->shape) == "[2][3]");
  CHECK(number_of(*table.find("a.f32"), 5) == 5);
  CHECK(table.find("b.f16")->type == WeightType::f16);
  CHECK(table.find("b.f16")->bytes[1] == std::byte{0x38});  // 0.5 in half precision is 0x3800
  CHECK(table.find("d.scalar")->shape.empty());
  CHECK(number_of(*table.find("d.scalar"), 0) == 2.5F);
  CHECK(table.find("e.empty")->bytes.empty());
  CHECK(table.find("absent") == nullptr);
}

TEST_CASE("a tensor of another type does no harm until it is asked for") {
  const TensorTable table =
      open_safetensors(std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/files/small.safetensors");
  CHECK_THAT(kvarium_test::refusal([&] { table.find("c.i64"); }),
             contains("tensor c.i64 has the type I64, which is not supported"));
}

TEST_CASE("a header that is too long, truncated or no JSON of tensors is refused") {
  CHECK_THAT(refused("1234567"), contains("the length of the header at byte 0 needs 8 bytes and 7 are left"));
  CHECK_THAT(refused(number_bytes(std::uint64_t{1} << 60U) + "{}"), contains("a header of 1152921504606846976 bytes"));
  CHECK_THAT(refused(number_bytes(std::uint64_t{100}) + "{}"), contains("the header at byte 8 needs 100 bytes and 2"));
  CHECK_THAT(refused("{\"a\":", 0), contains("its JSON is not valid"));
  CHECK_THAT(refused("[1]", 0), contains("its header is no list of tensors"));
  CHECK_THAT(refused(std::string(100'000, '['), 0), contains("nested more than 4 deep"));
}

TEST_CASE("a tensor that is given twice is refused") {
  const std::string twice = "{" + entry("a", "[1]", "[0,4]") + "," + entry("a", "[1]", "[4,8]") + "}";
  CHECK_THAT(refused(twice, 8), contains("the key a is given twice"));
}

TEST_CASE("an entry that lacks a part, or has another kind of it, is refused by the part's name") {
  CHECK_THAT(refused("{\"a\":3}", 0), contains("tensor a has no valid entry"));
  CHECK_THAT(refused("{\"a\":{}}", 0), contains("tensor a has no valid dtype"));
  CHECK_THAT(refused("{" + entry("a", "[-1]", "[0,4]") + "}", 4), contains("tensor a has no valid shape"));
  CHECK_THAT(refused("{" + entry("a", "[1.5]", "[0,4]") + "}", 4), contains("tensor a has no valid shape"));
  CHECK_THAT(refused("{" + entry("a", "[1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4), contains("no valid shape"));
  CHECK_THAT(refused("{" + entry("a", "[1]", "[0]") + "}", 4), contains("tensor a has no valid data_offsets"));
  CHECK_THAT(refused("{" + entry("a", "[1]", "[0,1e30]") + "}", 4), contains("tensor a has no valid data_offsets"));
}

TEST_CASE("ranges outside the file, of the wrong size, shared or with holes are refused") {
  CHECK_THAT(refused("{" + entry("a", "[2]", "[0,8]") + "}", 4), contains("tensor a lies at bytes 0 to 8 of 4"));
  CHECK_THAT(refused("{" + entry("a", "[1]", "[4,0]") + "}", 4), contains("tensor a lies at bytes 4 to 0 of 4"));
  CHECK_THAT(refused("{" + entry("a", "[2]", "[0,4]") + "}", 4), contains("[2] in F32 needs 8 bytes and has 4"));
  CHECK_THAT(refused("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[1]", "[4,8]") + "}", 8),
             contains("tensors a and b share bytes"));
  CHECK_THAT(refused("{" + entry("a", "[1]", "[0,4]") + "," + entry("b", "[1]", "[8,12]") + "}", 12),
             contains("the bytes from 4 on belong to no tensor"));
  CHECK_THAT(refused("{" + entry("a", "[1]", "[0,4]") + "}", 8), contains("the bytes from 4 on belong to no tensor"));
}

TEST_CASE("a shape whose size overflows is refused") {
  const std::string huge = "[1099511627776,1099511627776]";  // 2^80 numbers
  CHECK_THAT(refused("{" + entry("a", huge, "[0,4]") + "}", 4), contains("more bytes than 64 bits count"));
  const std::string wraps = "[4611686018427387905]";  // times 4 bytes: 4 modulo 2^64
  CHECK_THAT(refused("{" + entry("a", wraps, "[0,4]") + "}", 4), contains("more bytes than 64 bits count"));
}

TEST_CASE("the shards of an index are read as one table") {
  const ScratchFolder folder;
  folder.write("one.safetensors", safetensors("{" + entry("a", "[1]", "[0,4]") + "}", 4));
  folder.write("two.safetensors", safetensors("{" + entry("b", "[2]", "[0,8]") + "}", 8));
  const auto index = folder.write("model.safetensors.index.json",
                                  R"({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})");
  const TensorTable table = open_sharded_safetensors(index);
  CHECK(table.size() == 2);
  CHECK(shape_text(table.find("b")->shape) == "[2]");
}

TEST_CASE("an index that leads out of its folder, round in a circle or nowhere is refused") {
  const ScratchFolder folder;
  folder.write("one.safetensors", safetensors("{" + entry("a", "[1]", "[0,4]") + "}", 4));
  const auto with = [&](const std::string& json) {
    const auto index = folder.write("model.safetensors.index.json", json);
    return kvarium_test::refusal([&] { open_sharded_safetensors(index); });
  };
  const std::string shard = GENERATE(as<std::string>{}, "../one.safetensors", "/etc/passwd", "a\\\\b.safetensors", "..",
                                     "model.safetensors.index.json", "");
  CHECK_THAT(with(index_of("a", shard)), contains("only names ending in .safetensors, in the same folder"));
  CHECK_THAT(with(index_of("a", "three.safetensors")), contains("three.safetensors: there is no such file"));
  CHECK_THAT(with(index_of("b", "one.safetensors")), contains("tensor b is not in one.safetensors"));
  CHECK_THAT(with(R"({"weight_map": {"a": 3}})"), contains("tensor a has no file name"));
  CHECK_THAT(with(R"({"weight_map": {}})"), contains("it has no weight_map"));
  CHECK_THAT(with("[]"), contains("it has no weight_map"));
  CHECK_THAT(with(R"({"weight_map": {"a": "one.safetensors", "a": "one.safetensors"}})"), contains("given twice"));
}

TEST_CASE("a shard that is a link to itself, or a folder, is refused") {
  const ScratchFolder folder;
  const auto index = folder.write("model.safetensors.index.json", index_of("a", "one.safetensors"));
  std::filesystem::create_symlink("one.safetensors", folder.path() / "one.safetensors");
  CHECK_THAT(kvarium_test::refusal([&] { open_sharded_safetensors(index); }), contains("it cannot be opened"));
  std::filesystem::remove(folder.path() / "one.safetensors");
  std::filesystem::create_directory(folder.path() / "one.safetensors");
  CHECK_THAT(kvarium_test::refusal([&] { open_sharded_safetensors(index); }), contains("it is not a file"));
}
