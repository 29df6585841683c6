// attention_prefill under ThreadSanitizer, whole and with a line left out.

#include <vector>

#include "tests/cuda/kernels/prefill_problem.h"
#include "tests/cuda/tsan/launched.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using namespace kvarium_test;
using emulator::Emulation;

namespace {

template <typename T>
PrefillProblem<T> problem(unsigned past) {
  return PrefillProblem<T>({2, {8, 1, 16}}, {{past, 9}, {0, 3}});
}

/// Whether a rung, silent as it is, is reported without line `which` of those that order memory. Use each type once a
/// rung: ThreadSanitizer reports a pair of places in the code once, and types have code of their own.
template <typename T>
bool is_needed(PrefillRung rung, unsigned past, std::size_t which) {
  const PrefillProblem<T> input = problem<T>(past);
  std::vector<emulator::Site> orderings;
  Emulation collecting;
  collecting.orderings = &orderings;
  const int without_mutation = reports_of(collecting, [&] { input.run(rung); });
  Emulation mutant;
  mutant.without = orderings.at(which);
  return without_mutation == 0 && reports_of(mutant, [&] { input.run(rung); }) > 0;
}

}  // namespace

TEST_CASE("ThreadSanitizer: the rungs of attention_prefill are silent, and their barriers and waits are needed") {
  CHECK(reports_of({}, [] { problem<float>(30).run(PrefillRung::naive); }) == 0);
  CHECK(is_needed<float>(PrefillRung::tiled, 30, 0));
  CHECK(is_needed<f16>(PrefillRung::tiled, 30, 1));
  CHECK(is_needed<bf16>(PrefillRung::tiled, 30, 2));
  CHECK(is_needed<f16>(PrefillRung::mma, 140, 0));
  CHECK(is_needed<bf16>(PrefillRung::mma, 140, 1));
}
