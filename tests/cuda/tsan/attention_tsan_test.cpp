// The attention kernels under ThreadSanitizer, whole and with a line left out.

#include <vector>

#include "tests/cuda/kernels/mla_problem.h"
#include "tests/cuda/kernels/quantized_decode_problem.h"
#include "tests/cuda/tsan/launched.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::Emulation;
using kvarium_test::DecodeProblem;
using kvarium_test::MlaProblem;
using kvarium_test::QuantizedDecodeProblem;
using kvarium_test::reports_of;

TEST_CASE("ThreadSanitizer: the rungs of attention_decode are silent, and their barriers are needed") {
  const DecodeProblem<float> problem({{4, 1, 32}, 2}, {40, 3});
  for (const auto rung : {AttentionDecodeRung::warp_a_head, AttentionDecodeRung::vectors, AttentionDecodeRung::split}) {
    std::vector<emulator::Site> orderings;
    Emulation collecting;
    collecting.orderings = &orderings;
    CHECK(reports_of(collecting, [&] { problem.run(rung); }) == 0);
    if (rung == AttentionDecodeRung::split) continue;  // the line of vectors again: told once
    REQUIRE(orderings.size() == 1);
    Emulation mutant;
    mutant.without = orderings[0];
    CHECK(reports_of(mutant, [&] { problem.run(rung); }) > 0);
  }
}

TEST_CASE("ThreadSanitizer: attention over codes and over latent rows is silent, and a query needs its barrier") {
  const QuantizedDecodeProblem<float, e4m3> codes({{4, 1, 32}, 2}, {40, 3});
  CHECK(reports_of({}, [&] { codes.run(3); }) == 0);
  const MlaProblem<float> rows(4, 32, 8, 6, 1, {40, 3});
  CHECK(reports_of({}, [&] { rows.run(AttentionMlaRung::split); }) == 0);
  std::vector<emulator::Site> orderings;
  Emulation collecting;
  collecting.orderings = &orderings;
  CHECK(reports_of(collecting, [&] { rows.run(AttentionMlaRung::warp_a_head); }) == 0);
  REQUIRE(orderings.size() == 1);
  Emulation mutant;
  mutant.without = orderings[0];
  CHECK(reports_of(mutant, [&] { rows.run(AttentionMlaRung::warp_a_head); }) > 0);
}
