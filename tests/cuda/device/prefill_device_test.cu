// attention_prefill on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
#include "tests/cuda/kernels/prefill_problem.h"

namespace kvarium_test {
namespace {

template <typename T>
void check_rungs(const PrefillProblem<T>& problem, const std::string& what) {
  for (const PrefillRung rung : {PrefillRung::naive, PrefillRung::tiled, PrefillRung::mma}) {
    if (rung == PrefillRung::mma && sizeof(T) == 4) continue;
    const double worst = problem.worst(rung, problem.run(rung));
    expect(worst <= 1, "attention_prefill " + what + ", heads of " + std::to_string(problem.layout.head_dim) +
                           ", rung " + std::to_string(static_cast<int>(rung)) + ": error " + std::to_string(worst) +
                           " of the tolerance");
  }
}

template <typename T>
void check_type(const std::string& type) {
  for (const unsigned head_dim : {16U, 32U, 64U, 128U}) {
    check_rungs(PrefillProblem<T>({4, {16, 2, head_dim}}, {{0, 100}, {37, 1}, {300, 33}, {5, 0}, {16, 17}}), type);
  }
  check_rungs(PrefillProblem<T>({8, {5, 1, 64}}, {{0, 33}, {100, 7}}), type + " with blocks of 5");
  PrefillProblem<T> tree({2, {16, 1, 64}}, {{70, 64}});
  for (unsigned long long token = 0; token < 64; ++token) {  // each token follows the one three before it
    tree.ancestors.push_back((token < 3 ? 0 : tree.ancestors[token - 3]) | 1ULL << token);
  }
  check_rungs(tree, type + " of a tree");
  for (const PrefillRung rung : {PrefillRung::naive, PrefillRung::tiled, PrefillRung::mma}) {
    if (rung == PrefillRung::mma && sizeof(T) == 4) continue;
    const double worst = tree.worst_alone(rung, tree.run(rung));
    expect(worst <= 1, "attention_prefill " + type + " of a tree's paths alone, rung " +
                           std::to_string(static_cast<int>(rung)) + ": difference " + std::to_string(worst) +
                           " of the tolerances");
  }
}

}  // namespace

void check_attention_prefill() {
  check_type<float>("f32");
  check_type<f16>("f16");
  check_type<bf16>("bf16");
}

}  // namespace kvarium_test
