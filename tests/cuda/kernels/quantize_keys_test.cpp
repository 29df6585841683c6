// The rungs of quantize_keys against double, and what a scale a channel is good for.

#include "cuda/kernels/quantize_keys.cuh"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/mutants.h"
#include "tests/cuda/kernels/quantize_keys_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::DequantizedCache;
using kvarium_test::QuantizeKeysProblem;
using kvarium_test::QuantizeKvProblem;

namespace {

constexpr QuantizeKeysRung kRungs[] = {QuantizeKeysRung::thread, QuantizeKeysRung::shared};

template <typename T, typename Code>
void check_all_shapes() {
  for (const std::uint32_t head_dim : {8U, 24U, 128U}) {
    const QuantizeKeysProblem<T, Code> problem({5, 3, head_dim}, {{3, 1, 5}, {0, 2, 3}});
    for (const QuantizeKeysRung rung : kRungs) {
      INFO("heads of " << head_dim << ", rung " << static_cast<int>(rung));
      CHECK(problem.num_wrong(rung) == 0);
    }
  }
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

/// What quantizing does to 16 keys of 16 channels, one of which is 20 times as large, and to their products with a
/// query.
struct Harm {
  double score = 0;  ///< the largest error of q . k / sqrt(16)
  double mse = 0;    ///< of the other 15 channels
};

constexpr int kLarge = 3;
std::vector<float> keys_with_a_large_channel() {
  std::vector<float> keys;
  for (int t = 0; t < 16; ++t) {
    for (int c = 0; c < 16; ++c) {
      keys.push_back(static_cast<float>(std::sin(0.7 * t + 1.3 * c) * (c == kLarge ? 20 : 1)));
    }
  }
  return keys;
}

Harm harm_of(const float* quantized) {
  const std::vector<float> keys = keys_with_a_large_channel();
  Harm harm;
  for (int t = 0; t < 16; ++t) {
    double score = 0;
    for (int c = 0; c < 16; ++c) {
      const auto at = static_cast<std::size_t>(16 * t + c);
      const double off = static_cast<double>(quantized[at]) - static_cast<double>(keys[at]);
      score += off * std::cos(0.3 * c) / 4;
      if (c != kLarge) harm.mse += off * off / (16 * 15);
    }
    harm.score = std::fmax(harm.score, std::fabs(score));
  }
  return harm;
}

template <typename Code>
Harm harm_a_token() {
  QuantizeKvProblem<float, Code> problem({16, 1, 16}, {});
  for (long long slot = 0; slot < 16; ++slot) problem.slots.push_back(slot);
  problem.keys = problem.values = keys_with_a_large_channel();
  return harm_of(problem.run(QuantizeKvRung::packs).first.numbers.data());
}
template <typename Code>
Harm harm_a_channel() {
  QuantizeKeysProblem<float, Code> problem({16, 1, 16}, {{0, 0, 16}});
  const std::vector<float> keys = keys_with_a_large_channel();
  std::copy(keys.begin(), keys.end(), problem.keys.begin());
  return harm_of(problem.run(QuantizeKeysRung::shared).numbers.data());
}

}  // namespace

TEST_CASE("quantize_keys: every number comes back within half a step of its channel, and nothing else is touched") {
  check_all_shapes<float, i8>();
  check_all_shapes<float, i4x2>();
  check_all_shapes<f16, i4x2>();
  check_all_shapes<bf16, i8>();
  check_all_shapes<bf16, e4m3>();
}

TEST_CASE("quantize_keys: the same codes in every order of threads") {
  const QuantizeKeysProblem<bf16, i4x2> problem({4, 2, 40}, {{2, 0, 4}, {1, 2, 1}});
  const DequantizedCache wanted = problem.run(QuantizeKeysRung::thread);
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    for (const QuantizeKeysRung rung : kRungs) {
      CHECK(same(problem.run(rung).scales, wanted.scales));
      CHECK(same(problem.run(rung).numbers, wanted.numbers));
    }
  }
}

TEST_CASE("quantize_keys: where one channel is large, a scale a channel does less harm than a scale a token") {
  // The figures are those of the same sums in numpy, of whole-number codes without an offset.
  const Harm token = harm_a_token<i4x2>(), channel = harm_a_channel<i4x2>();
  CHECK(std::fabs(token.score - 0.9239) < 1e-4);
  CHECK(std::fabs(channel.score - 0.1767) < 1e-4);
  CHECK(std::fabs(token.mse - 0.34993) < 1e-4);
  CHECK(std::fabs(channel.mse - 0.00152) < 1e-4);
  CHECK(std::fabs(harm_a_token<i8>().score - 0.0361) < 1e-4);
  CHECK(std::fabs(harm_a_channel<i8>().score - 0.0122) < 1e-4);
}

TEST_CASE("quantize_keys: a NaN or an infinity makes its own channel of its own block NaN, and no other") {
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    QuantizeKeysProblem<float, i8> problem({4, 2, 32}, {{1, 0, 4}, {0, 2, 4}});
    problem.keys[4 * 64 + 64 + 32 + 7] = bad;  // block 1, slot 1, head 1, channel 7
    for (const QuantizeKeysRung rung : kRungs) {
      const DequantizedCache got = problem.run(rung);
      for (std::size_t i = 0; i < got.numbers.size(); ++i) {
        CHECK(std::isnan(got.numbers[i]) == (i < 4 * 64 && i % 64 == 32 + 7));
      }
    }
  }
}

TEST_CASE("quantize_keys: both rungs move the bytes of the header table, and an empty block none but its scales") {
  const auto bytes = [](QuantizeKeysRung rung, unsigned tokens) {
    const QuantizeKeysProblem<float, i8> problem({4, 2, 64}, {{3, 1, tokens}});
    const auto of = [&](const char* name) { return kvarium_test::traffic_of([&] { problem.run(rung); }, name).bytes; };
    const std::size_t read_back = 3 * problem.layout.block_stride();  // by the test: a scale and a code a number
    return of("keys") + of("codes") + of("scales") - read_back * (1 + 4);
  };
  for (const unsigned tokens : {4U, 3U, 0U}) {
    CHECK(bytes(QuantizeKeysRung::thread, tokens) == std::size_t{tokens} * 128 * (2 * 4 + 1) + 4 * 128);
    CHECK(bytes(QuantizeKeysRung::shared, tokens) == std::size_t{tokens} * 128 * (4 + 1) + 4 * 128);
  }
}

TEST_CASE("quantize_keys: blocks that are not there and heads that do not fit are refused; an empty list is no work") {
  const auto run = [](auto problem, QuantizeKeysRung rung) { return problem.run(rung); };
  using Problem = QuantizeKeysProblem<float, i8>;
  CHECK_THROWS_WITH(run(Problem({4, 1, 32}, {{0, 3, 4}}), QuantizeKeysRung::thread),
                    "quantize_keys: cannot quantize 4 slots of block 0 to block 3: there are 4 and 3 blocks of 4");
  CHECK_THROWS_WITH(run(Problem({4, 1, 32}, {{0, 1, 4}, {2, 1, 4}}), QuantizeKeysRung::thread),
                    "quantize_keys: two blocks of keys go to block 1 of codes");
  CHECK_THROWS_AS(run(Problem({4, 1, 32}, {{4, 0, 4}}), QuantizeKeysRung::thread), kvarium::MisuseError);
  CHECK_THROWS_AS(run(Problem({4, 1, 32}, {{0, 0, 5}}), QuantizeKeysRung::thread), kvarium::MisuseError);
  CHECK_THROWS_WITH(run(Problem({4, 1, 30}, {}), QuantizeKeysRung::shared),
                    "quantize_keys: rung shared takes heads of a multiple of 4 numbers, 48 KiB a block at most, not 4 "
                    "tokens of 30");
  CHECK_THROWS_AS(run(Problem({512, 1, 32}, {}), QuantizeKeysRung::shared), kvarium::MisuseError);
  CHECK_THROWS_WITH(run(QuantizeKeysProblem<float, i4x2>({4, 1, 7}, {}), QuantizeKeysRung::thread),
                    "quantize_keys: a head of 7 numbers is no whole number of 2 in a code");
  CHECK(Problem({4, 1, 30}, {{1, 1, 4}}).num_wrong(QuantizeKeysRung::thread) == 0);
  for (const QuantizeKeysRung rung : kRungs) CHECK(Problem({4, 1, 32}, {}).num_wrong(rung) == 0);
}

TEST_CASE("mutants: quantize_keys without its barrier is noticed in every order of threads") {
  const QuantizeKeysProblem<float, i8> problem({4, 1, 32}, {{0, 0, 4}});
  kvarium_test::expect_all_needed([&] { problem.run(QuantizeKeysRung::shared); }, 1);
}
