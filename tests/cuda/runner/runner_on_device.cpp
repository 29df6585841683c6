// A device as the runner under test. Exit code 77: there is none here.

#include <cstdio>
#include <cstdlib>

#include "cuda/runner/device_runner.h"
#include "tests/cuda/runner/runner_under_test.h"

namespace {

/// Before Catch2's main() begins.
const bool kHasDevice = [] {
  const std::string reason = kvarium::cuda::why_no_device_runner();
  if (reason.empty()) return true;
  std::printf("SKIP: %s\n", reason.c_str());
  std::exit(77);
}();

}  // namespace

std::unique_ptr<kvarium::ModelRunner> kvarium_test::make_runner(const kvarium::cpu::Model& model,
                                                                kvarium::cuda::NumberType type) {
  return kvarium::cuda::make_device_runner(kvarium::cuda::plain_model(model), type);
}
