// The dense and pointwise kernels on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
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

}  // namespace

void check_dense_kernels() {
  check_quantize_kv<float, e4m3>("f32 to e4m3");
  check_quantize_kv<f16, i8>("f16 to i8");
  check_quantize_kv<bf16, e4m3>("bf16 to e4m3");
  check_quantize_kv<bf16, i4x2>("bf16 to i4");
}

}  // namespace kvarium_test
