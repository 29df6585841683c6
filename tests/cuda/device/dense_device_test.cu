// The dense and pointwise kernels on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
#include "tests/cuda/kernels/linear_problem.h"
#include "tests/cuda/kernels/quantize_kv_problem.h"

namespace kvarium_test {
namespace {

template <typename T, typename Code>
void check_quantize_kv(const std::string& types) {
  const QuantizeKvProblem<T, Code> problem({16, 3, 64}, {17, 3, kNoSlot, 0, 40});
  for (const QuantizeKvRung rung : {QuantizeKvRung::thread, QuantizeKvRung::packs}) {
    expect(problem.num_wrong(rung) == 0, "quantize_kv " + types + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T, typename Out>
void check_linear(const std::string& types) {
  for (const LinearProblem<T, Out>& problem :
       {LinearProblem<T, Out>(1, 7, 33, Added::both), LinearProblem<T, Out>(5, 512, 200, Added::both),
        LinearProblem<T, Out>(130, 1000, 300), LinearProblem<T, Out>(64, 4096, 128)}) {
    for (const LinearRung rung : {LinearRung::plain, LinearRung::tiled, LinearRung::mma, LinearRung::few}) {
      if (!fits_linear<T>(rung, problem.inputs)) continue;
      const double error = problem.error(problem.run(rung));
      expect(error <= 1, "linear " + types + ", " + std::to_string(problem.inputs) + " inputs, rung " +
                             std::to_string(static_cast<int>(rung)) + ": " + std::to_string(error) +
                             " of the error that is allowed");
    }
  }
}

}  // namespace

void check_dense_kernels() {
  check_linear<float, float>("f32");
  check_linear<f16, f16>("f16");
  check_linear<bf16, bf16>("bf16");
  check_linear<bf16, float>("bf16 to f32");
  check_quantize_kv<float, e4m3>("f32 to e4m3");
  check_quantize_kv<f16, i8>("f16 to i8");
  check_quantize_kv<bf16, e4m3>("bf16 to e4m3");
  check_quantize_kv<bf16, i4x2>("bf16 to i4");
}

}  // namespace kvarium_test
