// Each line of an attention kernel that orders memory is left out once: the emulator must notice every time.

#include "tests/cuda/kernels/decode_problem.h"
#include "tests/cuda/kernels/mla_problem.h"
#include "tests/cuda/kernels/mutants.h"

using namespace kvarium::cuda;
using kvarium_test::DecodeProblem;
using kvarium_test::expect_all_needed;
using kvarium_test::MlaProblem;

TEST_CASE(
    "mutants: attention_decode without the barrier behind its query, or before its warps are merged, is noticed") {
  const DecodeProblem<float> problem({{4, 1, 32}, 2}, {40, 3});
  expect_all_needed([&] { problem.run(AttentionDecodeRung::warp_a_head); }, 1);
  expect_all_needed([&] { problem.run(AttentionDecodeRung::vectors); }, 1);
  expect_all_needed([&] { problem.run(AttentionDecodeRung::split); }, 1);
}

TEST_CASE("mutants: attention_mla without the barrier behind its query is noticed; its other rungs need none") {
  const MlaProblem<float> problem(4, 32, 8, 6, 1, {40, 3});
  expect_all_needed([&] { problem.run(AttentionMlaRung::warp_a_head); }, 1);
  expect_all_needed([&] { problem.run(AttentionMlaRung::split); }, 0);
}
