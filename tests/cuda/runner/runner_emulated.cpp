// The emulator as the runner under test.

#include "tests/cuda/runner/runner_under_test.h"

std::unique_ptr<kvarium::ModelRunner> kvarium_test::make_runner(const kvarium::cpu::Model& model,
                                                                kvarium::cuda::NumberType type) {
  return kvarium::cuda::make_kernel_runner(kvarium::cuda::plain_model(model), type);
}
