// What the rungs of attention_prefill ask of memory, held to their header table.

#include <string>
#include <vector>

#include "tests/cuda/kernels/prefill_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using namespace kvarium_test;

namespace {

template <typename T>
Traffic of_cache(const PrefillProblem<T>& problem, PrefillRung rung, const char* buffer) {
  return traffic_of([&] { problem.run(rung); }, buffer);
}

}  // namespace

TEST_CASE("attention_prefill: each rung reads the bytes of K and V that its header table tells") {
  // 24 new tokens behind 20, two heads of 64 bf16 on one: 48 rows; d s = 128 bytes.
  const PrefillProblem<bf16> problem({2, {8, 1, 64}}, {{20, 24}});
  const std::size_t row = 128;
  std::size_t seen = 0;  // by all rows together: token i sees 21 + i
  for (std::size_t token = 0; token < 24; ++token) seen += 2 * (21 + token);
  CHECK(of_cache(problem, PrefillRung::naive, "key_cache").bytes == 2 * seen * row);
  CHECK(of_cache(problem, PrefillRung::naive, "value_cache").bytes == seen * row);
  // 32 rows are 16 tokens: the first tile of rows sees 36 keys, the second 44.
  for (const char* buffer : {"key_cache", "value_cache"}) {
    CHECK(of_cache(problem, PrefillRung::tiled, buffer).bytes == (36 + 44) * row);
    CHECK(of_cache(problem, PrefillRung::mma, buffer).bytes == 44 * row);
  }
}

TEST_CASE("attention_prefill: the first rung reads keys a row apart; tiles come and are read without a conflict") {
  const PrefillProblem<bf16> problem({2, {8, 1, 64}}, {{20, 24}});
  const Traffic naive = of_cache(problem, PrefillRung::naive, "key_cache");
  CHECK(naive.sectors > 10 * naive.fewest_sectors);
  for (const PrefillRung rung : {PrefillRung::tiled, PrefillRung::mma}) {
    for (const auto& line : lines_of([&] { problem.run(rung); })) {
      INFO(line.region << ", line " << line.site.line);
      // Results leave rung mma as they lie in the fragments: four lanes have half of a sector together.
      const std::size_t part = rung == PrefillRung::mma && line.region == "out" ? 2 : 1;
      CHECK(line.answers == part * line.fewest_answers);
    }
  }
}

TEST_CASE("attention_prefill: fragments of rung mma come from different banks for heads of every size") {
  for (const unsigned head_dim : {16U, 32U, 128U}) {
    const PrefillProblem<f16> problem({1, {16, 1, head_dim}}, {{0, 9}});
    for (const auto& line : lines_of([&] { problem.run(PrefillRung::mma); })) {
      INFO("head_dim " << head_dim << ", " << line.region << ", line " << line.site.line);
      if (line.space != emulator::Space::shared) continue;
      // A quarter of a warp copies one row of 64 numbers, or several shorter ones, which share a bank.
      const std::size_t part = line.access == emulator::Access::store && head_dim < 64 ? 2 : 1;
      CHECK(line.answers == part * line.fewest_answers);
    }
  }
}
