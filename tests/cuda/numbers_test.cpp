// f16, bf16, e4m3 and e5m2: what each code means, and where numbers between two codes go.

#include "cuda/simt/numbers.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/catch.h"

using namespace kvarium::cuda;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// What a code means, by the definition: fraction and exponent, in double.
double meaning(std::uint32_t code, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>((code >> fraction_bits) & ((1U << exponent_bits) - 1));
  const double fraction = std::ldexp(static_cast<double>(code & ((1U << fraction_bits) - 1)), -fraction_bits);
  const double sign = (code >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

/// All codes from 0 to `largest` and their negatives survive the way to float and back; the middle between two
/// neighbours goes to the even code, and the floats beside the middle to the nearer one.
template <typename T>
void check_format(std::uint32_t largest, int exponent_bits, int fraction_bits) {
  const std::uint32_t sign = 1U << (exponent_bits + fraction_bits);
  int num_wrong = 0;
  const auto expect = [&](float x, std::uint32_t code) { num_wrong += from_float<T>(x).bits == code ? 0 : 1; };
  for (std::uint32_t code = 0; code <= largest; ++code) {
    for (const std::uint32_t signed_code : {code, code | sign}) {
      const T number{static_cast<decltype(T::bits)>(signed_code)};
      num_wrong += static_cast<double>(to_float(number)) == meaning(signed_code, exponent_bits, fraction_bits) ? 0 : 1;
      expect(to_float(number), signed_code);
    }
    if (code == largest) break;
    const auto middle = static_cast<float>(
        (meaning(code, exponent_bits, fraction_bits) + meaning(code + 1, exponent_bits, fraction_bits)) / 2);
    expect(middle, code % 2 == 0 ? code : code + 1);
    expect(-middle, (code % 2 == 0 ? code : code + 1) | sign);
    expect(std::nextafter(middle, 0.0F), code);
    expect(std::nextafter(middle, kInfinity), code + 1);
  }
  CHECK(num_wrong == 0);
}

}  // namespace

TEST_CASE("every number of the four formats means what its bits say, and rounding goes to the nearest, ties to even") {
  check_format<f16>(0x7BFF, 5, 10);
  check_format<bf16>(0x7F7F, 8, 7);
  check_format<e4m3>(0x7E, 4, 3);
  check_format<e5m2>(0x7B, 5, 2);
}

TEST_CASE("beyond the largest number f16 and bf16 become infinite") {
  CHECK(to_float(from_float<f16>(65504.0F)) == 65504.0F);
  CHECK(to_float(from_float<f16>(65519.0F)) == 65504.0F);
  CHECK(to_float(from_float<f16>(65520.0F)) == kInfinity);
  CHECK(to_float(from_float<f16>(-1e30F)) == -kInfinity);
  CHECK(to_float(from_float<f16>(kInfinity)) == kInfinity);
  CHECK(to_float(from_float<bf16>(3.38e38F)) == 0x1.FCp127F);
  CHECK(to_float(from_float<bf16>(std::numeric_limits<float>::max())) == kInfinity);
}

TEST_CASE("beyond the largest number FP8 saturates, also at infinity") {
  CHECK(to_float(from_float<e4m3>(448.0F)) == 448.0F);
  CHECK(to_float(from_float<e4m3>(1000.0F)) == 448.0F);
  CHECK(to_float(from_float<e4m3>(-kInfinity)) == -448.0F);
  CHECK(to_float(from_float<e5m2>(57344.0F)) == 57344.0F);
  CHECK(to_float(from_float<e5m2>(1e9F)) == 57344.0F);
  CHECK(to_float(from_float<e5m2>(-kInfinity)) == -57344.0F);
}

TEST_CASE("NaN stays NaN, with the code that a device gives it") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(from_float<f16>(nan).bits == 0x7FFF);
  CHECK(from_float<bf16>(-nan).bits == 0x7FFF);
  CHECK(from_float<e4m3>(nan).bits == 0x7F);
  CHECK(from_float<e5m2>(nan).bits == 0x7F);
  CHECK(std::isnan(to_float(f16{0xFC01})));
  CHECK(std::isnan(to_float(bf16{0x7FFF})));
  CHECK(std::isnan(to_float(e4m3{0xFF})));
  CHECK(std::isnan(to_float(e5m2{0x7D})));
  CHECK(to_float(e5m2{0x7C}) == kInfinity);  // read, though never written
}

TEST_CASE("numbers too small for a format become zero, and keep their sign") {
  CHECK(from_float<f16>(0x1p-25F).bits == 0);
  CHECK(from_float<f16>(std::nextafter(0x1p-25F, 1.0F)).bits == 1);
  CHECK(from_float<f16>(-1e-30F).bits == 0x8000);
  CHECK(from_float<e4m3>(-1e-30F).bits == 0x80);
  CHECK(from_float<bf16>(std::numeric_limits<float>::denorm_min()).bits == 0);
}

TEST_CASE("two numbers share a register, the first in its lower half") {
  const std::uint32_t pair = pack2(from_float<bf16>(1.5F), from_float<bf16>(-2.0F));
  CHECK(to_float(low_half<bf16>(pair)) == 1.5F);
  CHECK(to_float(high_half<bf16>(pair)) == -2.0F);
}
