// Codes of K and V: how they round, saturate and pass a NaN on; and the rungs of quantize_kv against double.

#include "cuda/kernels/quantize_kv.cuh"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/quantize_kv_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using kvarium_test::fault_of;
using kvarium_test::QuantizeKvProblem;
using kvarium_test::traffic_of;
using namespace kvarium::cuda;
using kvarium::KvLayout;

namespace {

constexpr QuantizeKvRung kRungs[] = {QuantizeKvRung::thread, QuantizeKvRung::packs};

/// The numbers after quantizing with this scale and back.
template <typename Code>
std::vector<float> back(const float (&numbers)[8], float scale) {
  float result[8];
  dequantize(quantize<Code>(numbers, scale), scale, result);
  return {result, result + 8};
}

template <typename T, typename Code>
void check_all_shapes() {
  for (const std::uint32_t head_dim : {8U, 32U, 40U, 64U, 128U}) {
    for (const std::uint32_t heads : {1U, 3U, 8U}) {
      const QuantizeKvProblem<T, Code> problem({5, heads, head_dim}, {17, 3, kNoSlot, 0, 12});
      for (const QuantizeKvRung rung : kRungs) {
        if (rung == QuantizeKvRung::packs && !fits_quantize_packs<T>(head_dim)) continue;
        INFO(heads << " heads of " << head_dim << ", rung " << static_cast<int>(rung));
        CHECK(problem.num_wrong(rung) == 0);
      }
    }
  }
}

template <typename Code>
void check_all_types() {
  check_all_shapes<float, Code>();
  check_all_shapes<f16, Code>();
  check_all_shapes<bf16, Code>();
}

}  // namespace

TEST_CASE("quantized_pack: whole numbers round to the nearest, ties to the even one, and saturate") {
  const float ties[] = {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 3.49F, 3.51F, -2.5F};
  const std::vector<float> rounded = {0, 2, 2, 0, -2, 3, 4, -2};
  CHECK(back<i8>(ties, 1) == rounded);
  CHECK(back<i4x2>(ties, 1) == rounded);
  CHECK(back<i8>({127, 127.6F, 500, -128, -1000, INFINITY, -INFINITY, 0}, 1) ==
        std::vector<float>{127, 127, 127, -127, -127, 127, -127, 0});
  CHECK(back<i4x2>({7, 7.6F, 8, -7, -8, 1e30F, -1e30F, -6.5F}, 1) == std::vector<float>{7, 7, 7, -7, -7, 7, -7, -6});
}

TEST_CASE("quantized_pack: FP8 rounds by its three bits of fraction, saturates at 448 and keeps a NaN") {
  CHECK(back<e4m3>({0x1p-10F, 0.00098F, 0.3F, 1.0625F, 1.1875F, 17, 19, 300}, 1) ==
        std::vector<float>{0, 0x1p-9F, 0.3125F, 1, 1.25F, 16, 20, 288});
  CHECK(back<e4m3>({464, 500, -1000, INFINITY, 448, -448, 0, 1}, 1) ==
        std::vector<float>{448, 448, -448, 448, 448, -448, 0, 1});
  CHECK(std::isnan(back<e4m3>({NAN, 0, 0, 0, 0, 0, 0, 0}, 1)[0]));
  CHECK(back<e4m3>({10, 20, 0, 0, 0, 0, 0, 0}, 2)[0] == 10);  // divided by the scale, then multiplied
}

TEST_CASE("quantized_pack: every code survives being decoded and encoded again") {
  for (int bits = 0; bits < 256; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    float numbers[1], pair[2];
    dequantize(QuantizedPack<e4m3, 1>{{{byte}}}, 1, numbers);
    CHECK((std::isnan(numbers[0]) || quantize<e4m3>(numbers, 1).at[0].bits == byte));
    if (byte != 0x80) {  // -128 is no code
      dequantize(QuantizedPack<i8, 1>{{{static_cast<std::int8_t>(byte)}}}, 1, numbers);
      CHECK(quantize<i8>(numbers, 1).at[0].bits == static_cast<std::int8_t>(byte));
    }
    if ((byte & 15U) == 8 || byte >> 4U == 8) continue;  // nor is -8
    dequantize(QuantizedPack<i4x2, 2>{{{byte}}}, 1, pair);
    CHECK(quantize<i4x2>(pair, 1).at[0].bits == byte);
  }
}

TEST_CASE("quantized_pack: the scale lets the largest number be the largest code") {
  CHECK(scale_of<i8>(12.7F) == 12.7F / 127);
  CHECK(back<i8>({-3, 0.1F, 1.5F, 12.7F, 0, 0, 0, 0}, 0.1F)[1] == 0.1F);
  CHECK(scale_of<e4m3>(896) == 2);
  CHECK(scale_of<i4x2>(0) == 0);
  CHECK(back<i4x2>({0, 0, 0, 0, 0, 0, 0, 0}, 0) == std::vector<float>(8, 0.0F));
  CHECK(std::isnan(scale_of<i8>(INFINITY)));
  CHECK(std::isnan(scale_of<e4m3>(larger(1.0F, NAN))));
  CHECK(std::isnan(scale_of<e4m3>(larger(NAN, 1.0F))));
}

TEST_CASE("quantize_kv: every number comes back within half a step, and no other slot is touched") {
  check_all_types<e4m3>();
  check_all_types<i8>();
  check_all_types<i4x2>();
}

TEST_CASE("quantize_kv: the same codes in every order of threads") {
  const QuantizeKvProblem<bf16, i8> problem({4, 3, 64}, {1, 9});
  const std::pair<kvarium_test::DequantizedCache, kvarium_test::DequantizedCache> expected[] = {
      problem.run(QuantizeKvRung::thread), problem.run(QuantizeKvRung::packs)};
  const auto same = [](const auto& a, const auto& b) {  // gaps are NaN in both
    return a.scales.size() == b.scales.size() && a.numbers.size() == b.numbers.size() &&
           std::memcmp(a.scales.data(), b.scales.data(), a.scales.size() * sizeof a.scales[0]) == 0 &&
           std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof a.numbers[0]) == 0;
  };
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    for (const QuantizeKvRung rung : kRungs) {
      CHECK(problem.num_wrong(rung) == 0);
      const auto [keys, values] = problem.run(rung);
      CHECK(same(keys, expected[static_cast<std::size_t>(rung)].first));
      CHECK(same(values, expected[static_cast<std::size_t>(rung)].second));
    }
  }
}

TEST_CASE("quantize_kv: with one FP8 scale for all, what it cannot hold saturates") {
  QuantizeKvProblem<float, e4m3> problem({4, 2, 32}, {5, 2});
  for (const float scale : {0.5F, 0.001F}) {  // 448 * 0.001 is less than many of the numbers
    problem.fixed_scale = scale;
    for (const QuantizeKvRung rung : kRungs) CHECK(problem.num_wrong(rung) == 0);
  }
}

TEST_CASE("quantize_kv: a NaN or an infinity makes its own head of its own token NaN, and no other") {
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    QuantizeKvProblem<float, i8> problem({4, 2, 32}, {5, 2});
    problem.keys[32 + 7] = bad;  // token 0, head 1
    for (const QuantizeKvRung rung : kRungs) {
      const auto [keys, values] = problem.run(rung);
      for (std::size_t i = 0; i < keys.numbers.size(); ++i) {
        CHECK(std::isnan(keys.numbers[i]) == (i / 32 == 5 * 2 + 1));
        CHECK(std::isfinite(values.numbers[i]));
      }
    }
  }
}

TEST_CASE("quantize_kv: both rungs move the bytes of the header table") {
  // 2 heads of 64 floats: w s = 512; i8: w c = 128; the scales: 16.
  const QuantizeKvProblem<float, i8> problem({4, 2, 64}, {3, 8, 1});
  const DeviceBuffer<float> keys(problem.keys), values(problem.values);
  const DeviceBuffer<long long> slots(problem.slots);
  DeviceBuffer<i8> codes(16 * 128), more_codes(16 * 128);
  DeviceBuffer<float> scales(32), more_scales(32);
  const auto bytes = [&](QuantizeKvRung rung) {
    const auto traffic = traffic_of([&] {
      Stream stream;
      quantize_kv<float, i8>(
          rung, stream,
          {{keys.ptr(), codes.ptr(), scales.ptr()}, {values.ptr(), more_codes.ptr(), more_scales.ptr()}, slots.ptr()},
          3, problem.layout);
      stream.synchronize();
    });
    return traffic.bytes - std::size_t{3} * 2 * 128 * 8;  // each of the 128 threads of a block reads the slot
  };
  CHECK(bytes(QuantizeKvRung::thread) == 3 * (4 * 512 + 2 * 128 + 8 * 2));
  CHECK(bytes(QuantizeKvRung::packs) == 3 * (2 * 512 + 2 * 128 + 8 * 2));
}

TEST_CASE("quantize_kv: heads that do not fit, scales that cannot be and slots beyond the cache are refused") {
  const auto run = [](auto problem, QuantizeKvRung rung) { return [=] { problem.run(rung); }; };
  CHECK_THROWS_WITH(run(QuantizeKvProblem<float, i8>({4, 1, 24}, {0}), QuantizeKvRung::packs)(),
                    "quantize_kv: packs take heads of 1, 2, 4, 8, 16 or 32 times 4 numbers, not of 24");
  CHECK_THROWS_WITH(run(QuantizeKvProblem<float, i4x2>({4, 1, 7}, {0}), QuantizeKvRung::thread)(),
                    "quantize_kv: a head of 7 numbers is no whole number of 2 in a code");
  QuantizeKvProblem<float, i8> whole({4, 1, 32}, {0});
  whole.fixed_scale = 1;
  CHECK_THROWS_WITH(whole.run(QuantizeKvRung::packs),
                    "quantize_kv: a fixed scale is above 0 and finite, and of e4m3, not 1.000000");
  QuantizeKvProblem<float, e4m3> fp8({4, 1, 32}, {0});
  for (const float scale : {-1.0F, std::nanf(""), INFINITY}) {
    fp8.fixed_scale = scale;
    CHECK_THROWS_AS(fp8.run(QuantizeKvRung::packs), kvarium::MisuseError);
  }
  const QuantizeKvProblem<float, i8> beyond({4, 1, 32}, {16});
  const std::string told = fault_of([&] { beyond.run(QuantizeKvRung::thread); });
  INFO(told);
  CHECK(told.find("thread 0: writes element 16 of key_scales, which has 16 (quantize_kv.cuh:") != std::string::npos);
  const QuantizeKvProblem<float, i8> nothing({4, 1, 32}, {});
  for (const QuantizeKvRung rung : kRungs) CHECK(nothing.num_wrong(rung) == 0);
}
