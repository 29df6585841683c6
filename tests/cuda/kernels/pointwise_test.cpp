// The rungs of swiglu, gelu and embed against double, the CPU reference and their header tables.

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu_reference/operators/gelu.h"
#include "cpu_reference/operators/swiglu.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/pointwise_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::ActivationProblem;
using kvarium_test::EmbedProblem;
using kvarium_test::fault_of;
using kvarium_test::traffic_of;

namespace {

constexpr ActivateRung kRungs[] = {ActivateRung::number, ActivateRung::packs};
constexpr EmbedRung kEmbedRungs[] = {EmbedRung::number, EmbedRung::packs};

template <typename T, FeedForward kind>
void check_activation() {
  for (const std::size_t count : {1U, 7U, 100U, 1024U}) {
    const ActivationProblem<T, kind> problem(count);
    for (const ActivateRung rung : kRungs) {
      if (rung == ActivateRung::packs && !fits_packs<T>(count)) continue;
      INFO(count << " numbers, rung " << static_cast<int>(rung));
      CHECK(problem.error(problem.run(rung)) <= 1);
    }
  }
}

template <typename T>
void check_embed() {
  for (const int width : {1, 33, 64, 1000}) {
    const EmbedProblem<T> problem({3, 0, 19, 3}, width);
    for (const EmbedRung rung : kEmbedRungs) {
      if (rung == EmbedRung::packs && !fits_packs<T>(width)) continue;
      INFO("width " << width << ", rung " << static_cast<int>(rung));
      CHECK(problem.is_right(problem.run(rung)));
    }
  }
}

}  // namespace

TEST_CASE("swiglu and gelu: every rung gives the equation's result") {
  check_activation<float, FeedForward::swiglu>();
  check_activation<f16, FeedForward::swiglu>();
  check_activation<bf16, FeedForward::swiglu>();
  check_activation<float, FeedForward::gelu>();
  check_activation<f16, FeedForward::gelu>();
  check_activation<bf16, FeedForward::gelu>();
}

TEST_CASE("swiglu and gelu: kernels and CPU reference agree") {
  // Both within the tolerance of the exact result. (The reference's exp stops at 88, where silu is below 1e-36.)
  ActivationProblem<float, FeedForward::swiglu> gated(64);
  kvarium::cpu::Matrix gate(1, 64), up(1, 64);
  std::copy(gated.gate.begin(), gated.gate.end(), gate.data());
  std::copy(gated.up.begin(), gated.up.end(), up.data());
  kvarium::cpu::swiglu(gate, up);
  CHECK(gated.error({gate.data(), gate.data() + 64}) <= 1);
  CHECK(gated.error(gated.run(ActivateRung::packs)) <= 1);

  const ActivationProblem<float, FeedForward::gelu> plain(64);
  std::copy(plain.gate.begin(), plain.gate.end(), gate.data());
  kvarium::cpu::gelu(gate);
  CHECK(plain.error({gate.data(), gate.data() + 64}) <= 1);
  CHECK(plain.error(plain.run(ActivateRung::packs)) <= 1);
}

TEST_CASE("swiglu: large numbers overflow to nothing, and a NaN stays where it is") {
  ActivationProblem<float, FeedForward::swiglu> problem(8);
  problem.gate = {100, -100, INFINITY, 0, NAN, -1e30F, 1e30F, 1};
  problem.up = {1, 1, 1, 5, 1, 1, 1, 1};
  for (const ActivateRung rung : kRungs) {
    const std::vector<float> y = problem.run(rung);
    CHECK(y[0] == 100);
    CHECK(std::fabs(y[1]) < 1e-36F);
    CHECK(y[2] == INFINITY);
    CHECK(y[3] == 0);
    CHECK(std::isnan(y[4]));
    CHECK(y[5] == 0);
    CHECK(y[6] == 1e30F);
    CHECK(std::isfinite(y[7]));
  }
}

TEST_CASE("swiglu, gelu, embed: the bytes of the header tables, packs in fewer requests") {
  const ActivationProblem<bf16, FeedForward::swiglu> gated(1024);
  const ActivationProblem<bf16, FeedForward::gelu> plain(1024);
  for (const ActivateRung rung : kRungs) {
    CHECK(traffic_of([&] { gated.run(rung); }).bytes == 3 * 1024 * 2);
    CHECK(traffic_of([&] { plain.run(rung); }).bytes == 2 * 1024 * 2);
  }
  CHECK(traffic_of([&] { gated.run(ActivateRung::number); }).requests == 3 * 1024 / 32);
  CHECK(traffic_of([&] { gated.run(ActivateRung::packs); }).requests == 3 * 1024 / 32 / 8);

  const EmbedProblem<bf16> rows({1, 5, 2}, 1024);
  const std::size_t id_bytes = std::size_t{128} * 4;  // each thread of a block reads the id
  for (const EmbedRung rung : kEmbedRungs) {
    CHECK(traffic_of([&] { rows.run(rung); }).bytes == 3 * (2 * 1024 * 2 + id_bytes));
  }
}

TEST_CASE("embed: rows of the ids, and an id outside of the vocabulary is told") {
  check_embed<float>();
  check_embed<f16>();
  check_embed<bf16>();
  for (const EmbedRung rung : kEmbedRungs) {
    CHECK(fault_of([&] {
            EmbedProblem<float>({1, 20}, 8).run(rung);
          }).find("block 1, thread 0: token 1 of the batch has the id 20; the vocabulary has 20 (embed.cuh:") == 0);
    CHECK(fault_of([&] { EmbedProblem<float>({-1}, 8).run(rung); }).find("has the id -1;") != std::string::npos);
    CHECK(EmbedProblem<float>({}, 8).run(rung).empty());
  }
}

TEST_CASE("swiglu, gelu, embed: packs refuse what is no whole number of them, and nothing to do is done") {
  CHECK_THROWS_WITH((ActivationProblem<f16, FeedForward::swiglu>(12).run(ActivateRung::packs)),
                    "activate: packs take a multiple of 8 numbers, not 12");
  CHECK_THROWS_WITH(EmbedProblem<f16>({1}, 12).run(EmbedRung::packs),
                    "embed: packs take rows of a multiple of 8 numbers, not 12");
  for (const ActivateRung rung : kRungs) CHECK((ActivationProblem<f16, FeedForward::gelu>(0).run(rung).empty()));
}
