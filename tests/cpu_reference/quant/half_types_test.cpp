#include "cpu_reference/quant/half_types.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using namespace kvarium::cpu;

namespace {

/// The definition of binary16, computed another way.
double defined_f16(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31), fraction = static_cast<int>(half & 1023);
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

TEST_CASE("all 65536 F16 numbers widen as binary16 defines, by bits, by instruction and in rows") {
  std::vector<std::uint16_t> halves(65536);
  for (unsigned h = 0; h < 65536; ++h) halves[h] = static_cast<std::uint16_t>(h);
  std::vector<float> row(65536);
  dequantize_f16(reinterpret_cast<const std::byte*>(halves.data()), 65536, row.data());
  int wrong = 0;
  for (unsigned h = 0; h < 65536; ++h) {
    const double expected = defined_f16(h);
    const float one = f16_to_f32(static_cast<std::uint16_t>(h));
    const float by_bits = f16_to_f32_by_bits(static_cast<std::uint16_t>(h));
    for (const float found : {one, by_bits, row[h]}) {
      const bool same =
          std::isnan(expected) ? std::isnan(found) : found == expected && std::signbit(found) == std::signbit(expected);
      wrong += same ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every F16 and BF16 number survives the way to float and back") {
  int wrong = 0;
  for (unsigned h = 0; h < 65536; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    if (!std::isnan(f16_to_f32(half)) && f32_to_f16(f16_to_f32(half)) != half) ++wrong;
    if (!std::isnan(bf16_to_f32(half)) && f32_to_bf16(bf16_to_f32(half)) != half) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("narrowing to F16 rounds to the nearest, ties to the even fraction") {
  CHECK(f16_to_f32(f32_to_f16(2049.0F)) == 2048.0F);  // between 2048 and 2050
  CHECK(f16_to_f32(f32_to_f16(2051.0F)) == 2052.0F);
  CHECK(f16_to_f32(f32_to_f16(65519.0F)) == 65504.0F);
  CHECK(f16_to_f32(f32_to_f16(65520.0F)) == INFINITY);
  CHECK(f16_to_f32(f32_to_f16(-1e30F)) == -INFINITY);
  CHECK(f32_to_f16(0x1p-25F) == 0);           // between 0 and the smallest subnormal
  CHECK(f32_to_f16(0x1.8p-24F) == 2);         // between the first two
  CHECK(f32_to_f16(0x1.FFFp-15F) == 0x0400);  // up to the smallest normal number
  CHECK(f32_to_f16(-0.0F) == 0x8000);
  CHECK(std::isnan(f16_to_f32(f32_to_f16(NAN))));
}

TEST_CASE("narrowing to BF16 rounds to the nearest, ties to the even fraction") {
  CHECK(bf16_to_f32(f32_to_bf16(257.0F)) == 256.0F);  // between 256 and 258
  CHECK(bf16_to_f32(f32_to_bf16(259.0F)) == 260.0F);
  CHECK(bf16_to_f32(f32_to_bf16(3.4e38F)) == INFINITY);
  CHECK(std::isnan(bf16_to_f32(f32_to_bf16(NAN))));
}
