// Every weight type against the package gguf, bit for bit: tests/golden/quant.py wrote what is compared.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cpu_reference/quant/dequantize.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

nlohmann::json golden() {
  std::ifstream file(KVARIUM_SOURCE_DIR "/tests/golden/quant.json");
  REQUIRE(file.good());
  return nlohmann::json::parse(file);
}

template <class T>
std::vector<T> from_hex(const std::string& text) {
  std::vector<T> numbers(text.size() / 2 / sizeof(T));
  auto* bytes = reinterpret_cast<unsigned char*>(numbers.data());
  for (std::size_t i = 0; i < text.size() / 2; ++i) {
    bytes[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return numbers;
}

const std::vector<WeightType> kSimple = {WeightType::f16,  WeightType::bf16, WeightType::q8_0, WeightType::q4_0,
                                         WeightType::q4_1, WeightType::q5_0, WeightType::q5_1};

std::vector<WeightType> all_but_f32() {
  std::vector<WeightType> types = kSimple;
  types.insert(types.end(), {WeightType::q4_k, WeightType::q6_k});
  return types;
}

}  // namespace

TEST_CASE("blocks of every weight type stand for the numbers that the package gguf reads from them") {
  for (const WeightType type : all_but_f32()) {
    INFO(name(type));
    const nlohmann::json entry = golden().at(std::string(name(type)));
    const auto row = from_hex<std::byte>(entry.at("bytes"));
    const auto expected = from_hex<std::uint32_t>(entry.at("numbers"));
    REQUIRE(row.size() == row_bytes(type, expected.size()));
    std::vector<float> numbers(expected.size(), -1.0F);
    dequantize_row(type, row.data(), static_cast<Index>(numbers.size()), numbers.data());
    std::vector<std::uint32_t> bits(expected.size());
    std::memcpy(bits.data(), numbers.data(), bits.size() * sizeof(float));
    CHECK(bits == expected);
  }
}

TEST_CASE("numbers become the bytes that the package gguf writes") {
  for (const WeightType type : kSimple) {
    INFO(name(type));
    const nlohmann::json entry = golden().at(std::string(name(type)));
    const auto numbers = from_hex<float>(entry.at("quantized_from"));
    std::vector<std::byte> row(row_bytes(type, numbers.size()));
    quantize_row(type, numbers.data(), static_cast<Index>(numbers.size()), row.data());
    CHECK(row == from_hex<std::byte>(entry.at("bytes")));
  }
}

TEST_CASE("the first half of a row is read as it is in the whole row") {
  for (const WeightType type : all_but_f32()) {
    INFO(name(type));
    const nlohmann::json entry = golden().at(std::string(name(type)));
    const auto row = from_hex<std::byte>(entry.at("bytes"));
    const Index columns = static_cast<Index>(entry.at("numbers").get<std::string>().size() / 8);
    std::vector<float> whole(static_cast<std::size_t>(columns)), half(static_cast<std::size_t>(columns / 2));
    dequantize_row(type, row.data(), columns, whole.data());
    dequantize_row(type, row.data(), columns / 2, half.data());
    CHECK(half == std::vector<float>(whole.begin(), whole.begin() + columns / 2));
  }
}
