// The rungs of rope against double, the CPU reference and their own header table.

#include "cuda/kernels/rope.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu_reference/operators/rope.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/rope_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::RopeProblem;
using kvarium_test::traffic_of;

namespace {

constexpr RopeRung kRungs[] = {RopeRung::number, RopeRung::packs};
constexpr RopePairs kPairs[] = {RopePairs::interleaved, RopePairs::halves};

template <typename T>
void check_all_shapes() {
  struct Shape {
    int heads, head_dim, rotated;
  };
  for (const Shape& shape : {Shape{1, 2, 2}, {3, 64, 64}, {2, 10, 6}, {8, 128, 128}, {2, 48, 16}}) {
    for (const RopePairs pairs : kPairs) {
      const RopeProblem<T> problem({0, 5, 131071, -3}, shape.heads, shape.head_dim, shape.rotated, pairs);
      for (const RopeRung rung : kRungs) {
        if (rung == RopeRung::packs && !problem.fits_packs()) continue;
        INFO(shape.heads << " heads of " << shape.head_dim << ", rung " << static_cast<int>(rung));
        CHECK(problem.error(problem.run(rung)) <= 1);
      }
    }
  }
}

}  // namespace

TEST_CASE("rope: every rung gives the equation's result, for whole heads and for parts of them") {
  check_all_shapes<float>();
  check_all_shapes<f16>();
  check_all_shapes<bf16>();
}

TEST_CASE("rope: kernels and CPU reference turn alike, bit for bit in the emulator") {
  for (const RopePairs pairs : kPairs) {
    const RopeProblem<float> problem({7, 8, 9}, 2, 16, 16, pairs);
    kvarium::cpu::RopeAngles angles{kvarium::cpu::Matrix(3, 8), kvarium::cpu::Matrix(3, 8)};
    kvarium::cpu::write_angles(problem.frequencies, 7, 3, 0, angles);
    kvarium::cpu::Matrix x(3, 32);
    std::copy(problem.x.begin(), problem.x.end(), x.data());
    kvarium::cpu::rope(
        x, 16, angles,
        pairs == RopePairs::halves ? kvarium::cpu::RopePairs::halves : kvarium::cpu::RopePairs::interleaved);
    const std::vector<float> wanted(x.data(), x.data() + x.size());
    CHECK(problem.error(wanted) <= 1);
    for (const RopeRung rung : kRungs) CHECK(problem.run(rung) == wanted);
  }
}

TEST_CASE("rope: the bytes of the header table, packs in fewer requests") {
  for (const RopePairs pairs : kPairs) {
    const RopeProblem<bf16> problem({1, 2, 3}, 4, 64, 64, pairs);
    const auto traffic = [&](RopeRung rung) { return traffic_of([&] { problem.run(rung); }); };
    const auto angles = traffic_of([&] { RopeProblem<bf16>({1, 2, 3}, 0, 64, 64, pairs).run(RopeRung::number); });
    const auto number = traffic(RopeRung::number), packs = traffic(RopeRung::packs);
    const std::size_t table = std::size_t{3} * (2 * 4 * 64 * 2 + 4 * 4 * 64);
    CHECK(number.bytes - angles.bytes == table);
    CHECK(packs.bytes - angles.bytes == table);
    CHECK(packs.requests - angles.requests <= (number.requests - angles.requests) / 4);
  }
}

TEST_CASE("rope: packs refuse what they would tear, no tokens are no work, and a NaN stays in its own pair") {
  const RopeProblem<float> torn({1}, 1, 10, 10, RopePairs::halves);
  CHECK_THROWS_WITH(torn.run(RopeRung::packs),
                    "rope: packs take strides and neighbouring numbers of a multiple of 4, not 5 pairs, heads 10 and "
                    "tokens 10 numbers apart");
  for (const RopePairs pairs : kPairs) {
    RopeProblem<float> problem({3}, 2, 16, 16, pairs);
    problem.x[16] = NAN;  // its partner is 17, or 24
    for (const RopeRung rung : kRungs) {
      const std::vector<float> y = problem.run(rung);
      const std::size_t partner = pairs == RopePairs::halves ? 24 : 17;
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i == 16 || i == partner));
      CHECK(RopeProblem<float>({}, 2, 16, 16, pairs).run(rung).empty());
    }
  }
}
