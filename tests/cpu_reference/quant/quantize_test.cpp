#include <cmath>
#include <random>
#include <vector>

#include "cpu_reference/quant/dequantize.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

std::vector<float> there_and_back(WeightType type, const std::vector<float>& numbers) {
  std::vector<std::byte> row(row_bytes(type, numbers.size()));
  std::vector<float> back(numbers.size());
  quantize_row(type, numbers.data(), static_cast<Index>(numbers.size()), row.data());
  dequantize_row(type, row.data(), static_cast<Index>(numbers.size()), back.data());
  return back;
}

struct Precision {
  WeightType type;
  float steps;  ///< from the least to the greatest number of a block
};

}  // namespace

TEST_CASE("a quantised number lies within its step of the number") {
  const std::vector<Precision> precisions = {{WeightType::q8_0, 254},
                                             {WeightType::q4_0, 16},
                                             {WeightType::q4_1, 15},
                                             {WeightType::q5_0, 32},
                                             {WeightType::q5_1, 31}};
  std::mt19937_64 draws(11);
  std::vector<float> numbers(32 * 20);
  for (float& number : numbers) number = static_cast<float>(draws() >> 40) * 0x1p-23F - 1.0F;
  for (const auto& [type, steps] : precisions) {
    INFO(name(type));
    const std::vector<float> back = there_and_back(type, numbers);
    // Numbers in [-1, 1]: rounding takes half a step of 2 / steps. The _0 types reach one step less on the side
    // opposite to the largest number, which takes up to a whole step. F16 scales and minima of at most 1 add
    // 2 * 2^-11 of the number.
    const float allowed = 2 / steps + 2 * 0x1p-11F;
    for (std::size_t i = 0; i < numbers.size(); ++i) REQUIRE(std::abs(back[i] - numbers[i]) <= allowed);
  }
}

TEST_CASE("a block of zeros stays zeros in every type") {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16, WeightType::q8_0, WeightType::q4_0,
                                WeightType::q4_1, WeightType::q5_0, WeightType::q5_1}) {
    INFO(name(type));
    CHECK(there_and_back(type, std::vector<float>(64, 0.0F)) == std::vector<float>(64, 0.0F));
  }
}

TEST_CASE("the types that are only read are refused when written") {
  std::vector<float> numbers(256);
  std::vector<std::byte> row(256);
  CHECK_THROWS_WITH(quantize_row(WeightType::q4_k, numbers.data(), 256, row.data()),
                    "nothing here writes Q4_K weights");
}
