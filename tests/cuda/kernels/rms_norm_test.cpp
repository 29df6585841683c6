// The rungs of rms_norm against double, the CPU reference and their own header table.

#include "cuda/kernels/rms_norm.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu_reference/operators/rms_norm.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/rms_norm_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::MisuseError;
using kvarium_test::RmsNormProblem;
using kvarium_test::Traffic;
using kvarium_test::traffic_of;

namespace {

constexpr RmsNormRung kRungs[] = {RmsNormRung::thread_a_token, RmsNormRung::warp_a_token, RmsNormRung::block_a_token};

template <typename T>
void check_all_shapes() {
  for (const int width : {1, 7, 8, 64, 100, 288}) {
    for (const int tokens : {1, 3, 130}) {
      const RmsNormProblem<T> problem(tokens, width);
      for (const RmsNormRung rung : kRungs) {
        if (rung == RmsNormRung::block_a_token && !fits_block<T>(width)) continue;
        INFO("width " << width << ", tokens " << tokens << ", rung " << static_cast<int>(rung));
        CHECK(problem.error(problem.run(rung)) <= problem.tolerance());
      }
    }
  }
}

template <typename T>
Traffic traffic(RmsNormRung rung, int tokens, int width) {
  const RmsNormProblem<T> problem(tokens, width);
  return traffic_of([&] { problem.run(rung); });
}

}  // namespace

TEST_CASE("rms_norm: every rung gives the equation's result, for widths and counts that do not divide") {
  check_all_shapes<float>();
  check_all_shapes<f16>();
  check_all_shapes<bf16>();
}

TEST_CASE("rms_norm: kernels and CPU reference agree") {
  const RmsNormProblem<float> problem(5, 96);
  kvarium::cpu::Matrix x(5, 96), y(5, 96);
  Eigen::VectorXf weight(96);
  std::copy(problem.x.begin(), problem.x.end(), x.data());
  std::copy(problem.weight.begin(), problem.weight.end(), weight.data());
  kvarium::Work work;
  kvarium::cpu::rms_norm(x, weight, RmsNormProblem<float>::kEpsilon, y, work);
  const std::vector<float> reference(y.data(), y.data() + y.size());
  CHECK(problem.error(reference) <= problem.tolerance());
  for (const RmsNormRung rung : kRungs) {
    const std::vector<float> got = problem.run(rung);
    for (std::size_t i = 0; i < got.size(); ++i) {
      REQUIRE(std::fabs(got[i] - reference[i]) <= 2 * problem.tolerance() * std::fabs(reference[i]) + 1e-12);
    }
  }
}

TEST_CASE("rms_norm: each rung moves the bytes of its header table") {
  // 64 tokens of 128 floats: w s = 512 bytes.
  const std::size_t row = 512;
  CHECK(traffic<float>(RmsNormRung::thread_a_token, 64, 128).bytes == 64 * (3 * row + row));
  CHECK(traffic<float>(RmsNormRung::warp_a_token, 64, 128).bytes == 64 * (3 * row + row));
  CHECK(traffic<float>(RmsNormRung::block_a_token, 64, 128).bytes == 64 * (2 * row + row));
}

TEST_CASE(
    "rms_norm: threads that lie a row apart touch eight times the sectors, and vectors need a quarter of the "
    "requests") {
  const Traffic thread = traffic<float>(RmsNormRung::thread_a_token, 64, 128);
  const Traffic warp = traffic<float>(RmsNormRung::warp_a_token, 64, 128);
  const Traffic block = traffic<float>(RmsNormRung::block_a_token, 64, 128);
  // Of the four accesses a number (x twice, y, weight), the weight is the same address for all threads of a warp.
  CHECK(thread.sectors == 2 * 128 * (3 * 32 + 1));
  CHECK(thread.fewest_sectors == 2 * 128 * (3 * 4 + 1));
  CHECK(warp.sectors == warp.fewest_sectors);
  CHECK(block.sectors == block.fewest_sectors);
  CHECK(warp.requests == 64 * 4 * (128 / 32));
  CHECK(block.requests == 64 * 3);
}

TEST_CASE("rms_norm: one block a token refuses a width that it cannot hold") {
  Stream stream;
  DeviceBuffer<float> x(100);
  CHECK_THROWS_WITH(rms_norm<float>(RmsNormRung::block_a_token, stream, x.ptr(), x.ptr(),
                                    RmsNormProblem<float>::kEpsilon, x.ptr(), 1, 99),
                    "rms_norm: one block a token takes rows of a multiple of 4 numbers, at most 4096, not of 99");
  CHECK_THROWS_AS(rms_norm<float>(RmsNormRung::block_a_token, stream, x.ptr(), x.ptr(), RmsNormProblem<float>::kEpsilon,
                                  x.ptr(), 1, 4100),
                  MisuseError);
}

TEST_CASE("rms_norm: results can be parts of wider rows, and what is behind them is left alone") {
  const RmsNormProblem<float> problem(3, 32);
  const DeviceBuffer<float> x(problem.x, "x"), weight(problem.weight, "weight");
  for (const RmsNormRung rung : kRungs) {
    DeviceBuffer<float> y(std::vector<float>(std::size_t{3} * 40, -7), "y");
    Stream stream;
    rms_norm<float>(rung, stream, x.ptr(), weight.ptr(), problem.kEpsilon, y.ptr(), 3, 32, 40);
    std::vector<float> rows;
    const std::vector<float> wide = y.download();
    for (std::size_t i = 0; i < wide.size(); ++i) {
      if (i % 40 < 32) rows.push_back(wide[i]);
      CHECK((i % 40 < 32 || wide[i] == -7));
    }
    CHECK(rows == problem.run(rung));
  }
  Stream stream;
  DeviceBuffer<float> y(200);
  CHECK_THROWS_WITH(
      rms_norm<float>(RmsNormRung::block_a_token, stream, x.ptr(), weight.ptr(), problem.kEpsilon, y.ptr(), 3, 32, 39),
      kvarium_test::contains("not of 32, 39 apart"));
}

TEST_CASE("rms_norm: nothing to do is done, and a NaN stays in its own row") {
  RmsNormProblem<float> problem(3, 64);
  problem.x[64 + 5] = std::nanf("");
  for (const RmsNormRung rung : kRungs) {
    const std::vector<float> y = problem.run(rung);
    CHECK(std::isfinite(y[63]));
    CHECK(std::isnan(y[64]));
    CHECK(std::isfinite(y[128]));
    Stream stream;
    rms_norm<float>(rung, stream, nullptr, nullptr, RmsNormProblem<float>::kEpsilon, nullptr, 0, 64);
    CHECK_NOTHROW(stream.synchronize());
  }
}
