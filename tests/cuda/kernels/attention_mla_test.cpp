// The rungs of attention_mla against double, the CPU reference and their own header table.

#include "cuda/kernels/attention_mla.cuh"

#include <algorithm>
#include <string>
#include <vector>

#include "cpu_reference/attention/latent_paged.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/mla_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::DecodeResult;
using kvarium_test::fault_of;
using kvarium_test::MlaProblem;
using kvarium_test::traffic_of;

namespace {

constexpr AttentionMlaRung kRungs[] = {AttentionMlaRung::warp_a_head, AttentionMlaRung::rows, AttentionMlaRung::split};

template <typename T>
void check(const MlaProblem<T>& problem) {
  for (const AttentionMlaRung rung : kRungs) {
    INFO("rows of " << problem.rows.dim() << ", latent " << problem.latent_dim << ", rung " << static_cast<int>(rung));
    CHECK(problem.error(problem.run(rung)) <= 1);
  }
}

template <typename T>
void check_shapes() {
  check(MlaProblem<T>(8, 32, 8, 6, 2, {17, 0, 40}));
  check(MlaProblem<T>(5, 64, 16, 1, 1, {33}));
  check(MlaProblem<T>(16, 130, 30, 5, 1, {9}));
}

}  // namespace

TEST_CASE("attention_mla: every rung gives the equation's result, for sizes that do not divide") {
  check_shapes<float>();
  check_shapes<f16>();
  check_shapes<bf16>();
  check(MlaProblem<bf16>(16, 512, 64, 17, 1, {20}));  // DeepSeek's rows
}

TEST_CASE("attention_mla: kernels and CPU reference agree") {
  const MlaProblem<float> problem(8, 32, 8, 6, 3, {21});
  // The scale is 1 / sqrt(head_dim + rotary_dim): with heads as wide as the latent it is that of the problem.
  const kvarium::cpu::LatentShape shape{0, 6, 32, 8, 32, 32};
  std::vector<kvarium::cpu::KvRun> runs;
  for (unsigned first = 0; first < 21; first += 8) {
    const float* const rows = problem.rows.keys.data() + problem.rows.place(0, first, 0);
    runs.push_back({rows, rows, std::min(8U, 21 - first)});
  }
  kvarium::cpu::Matrix queries(3, 6 * 40), latents(3, 6 * 32);
  std::copy(problem.rows.queries.begin(), problem.rows.queries.end(), queries.data());
  kvarium::cpu::ThreadPool threads(1);
  kvarium::Work work;
  kvarium::cpu::attention_latent_paged(queries, 18, runs, shape, latents, threads, work);
  const std::vector<float> expected(latents.data(), latents.data() + latents.size());
  for (const AttentionMlaRung rung : kRungs) {
    const DecodeResult<float> got = problem.run(rung);
    CHECK(problem.error({expected, got.lse}) <= 1);  // each within the tolerance of double
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(std::fabs(got.out[i] - expected[i]) <= 2 * problem.rows.exact(i / 32).tolerance[i % 32]);
    }
  }
}

TEST_CASE("attention_mla: every order of threads gives the same bits, and any number of splits the same result") {
  const MlaProblem<float> problem(8, 32, 8, 6, 1, {70, 3});
  for (const AttentionMlaRung rung : kRungs) {
    const DecodeResult<float> forward = problem.run(rung);
    for (const auto order : kvarium_test::kOrders) {
      emulator::Emulation options;
      options.order = order;
      const emulator::UseEmulation use(options);
      CHECK(problem.run(rung).out == forward.out);
    }
  }
  CHECK(problem.run(AttentionMlaRung::split, 1).out == problem.run(AttentionMlaRung::rows).out);
  CHECK(problem.error(problem.run(AttentionMlaRung::split, 64)) <= 1);
  CHECK_THROWS_WITH(problem.run(AttentionMlaRung::split, 0), "attention over 0 splits; there are 1 to 64");
}

TEST_CASE("attention_mla: an empty sequence gives 0, a NaN stays with its sequence, a wrong block is told") {
  for (const AttentionMlaRung rung : kRungs) {
    MlaProblem<float> problem(4, 32, 8, 2, 1, {0, 9, 9});
    problem.rows.keys[problem.rows.place(2, 6, 0)] = NAN;
    const DecodeResult<float> got = problem.run(rung);
    for (std::size_t i = 0; i < 2 * 32; ++i) REQUIRE(got.out[i] == 0.0F);
    CHECK(got.lse[0] == -INFINITY);
    CHECK(std::isfinite(got.out[2 * 32]));
    CHECK(std::isnan(got.out[4 * 32]));
    problem.rows.tables[1 * problem.rows.most_blocks] = 99;
    CHECK(fault_of([&] { problem.run(rung); }).find("of the block table of sequence 1 is block 99") !=
          std::string::npos);
    MlaProblem<float> nothing(4, 32, 8, 2, 1, {});
    CHECK(nothing.run(rung).out.empty());
  }
}

TEST_CASE("attention_mla: each rung moves the bytes of its header table") {
  // 8 heads, rows of 32 + 8 floats: w s = 160, v s = 128. One token of 50.
  const MlaProblem<float> problem(8, 32, 8, 8, 1, {50});
  const auto moved = [&](AttentionMlaRung rung) { return traffic_of([&] { problem.run(rung); }).bytes; };
  const std::size_t w = 160, v = 128, lse = 8 * 4, a_warp = 32 * 4;
  CHECK(moved(AttentionMlaRung::warp_a_head) == 8 * (50 * (w + v) + 4 * 50 + w + v) + 8 * a_warp + lse);
  const std::size_t rows = 2 * (50 * w + 4 * 50);
  CHECK(moved(AttentionMlaRung::rows) == rows + 8 * (w + v) + 2 * a_warp + lse);
  CHECK(moved(AttentionMlaRung::split) == rows + 8 * v + std::size_t{3} * 8 * (w + 16 * 32 + 4) + 3 * 2 * a_warp + lse);
}

TEST_CASE("attention_mla: rows and heads that do not fit are refused") {
  const MlaProblem<float> problem(4, 32, 8, 2, 1, {3});
  const auto run = [&](const auto& change) {
    problem.run_with([&](Stream& stream, AttentionMla<float> call) {
      change(call);
      attention_mla(AttentionMlaRung::rows, stream, call);
    });
  };
  CHECK_THROWS_WITH(run([](auto& call) { call.latent_dim = 42; }),
                    "attention_mla: rows of 40 numbers, 42 of them latent; it takes even numbers up to 576 and 512");
  CHECK_THROWS_AS(run([](auto& call) { call.kv.layout.head_dim = 39; }), kvarium::MisuseError);
  CHECK_THROWS_AS(run([](auto& call) { call.kv.layout.kv_heads = 2; }), kvarium::MisuseError);
  CHECK_THROWS_WITH(run([](auto& call) { call.heads = 0; }),
                    "attention_mla: 1 new tokens of 0 heads; one launch takes 1 to 2147483647 heads");
}
