// Each line of attention_prefill that orders memory is left out once, or a wait is one too weak.

#include <vector>

#include "tests/cuda/kernels/mutants.h"
#include "tests/cuda/kernels/prefill_problem.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using namespace kvarium_test;
using emulator::CopyTime;
using emulator::Site;

namespace {

/// Whether each of the `num_lines` lines is needed, in every order of threads and whenever copies land.
template <typename T>
void check_lines(PrefillRung rung, const PrefillProblem<T>& problem, std::size_t num_lines) {
  const auto work = [&] { problem.run(rung); };
  const std::vector<Site> sites = orderings_of(work);
  REQUIRE(sites.size() == num_lines);
  for (const auto order : kOrders) {
    for (const CopyTime copies : {CopyTime::lazy, CopyTime::eager}) {
      CHECK(noticed(work, Site{}, order, copies) == "");
      for (const Site& site : sites) {
        INFO(emulator::text_of(site));
        CHECK(noticed(work, site, order, copies) != "");
      }
    }
  }
}

}  // namespace

TEST_CASE("mutants: rung tiled of attention_prefill needs its two barriers and its __syncwarp") {
  check_lines(PrefillRung::tiled, PrefillProblem<float>({1, {8, 1, 16}}, {{30, 9}}), 3);
}

TEST_CASE("mutants: rung mma of attention_prefill needs its wait and its barrier") {
  check_lines(PrefillRung::mma, PrefillProblem<bf16>({1, {8, 1, 16}}, {{140, 9}}), 2);
}
