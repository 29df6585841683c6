#pragma once
// Who runs the kernels in kernel_runner_test.cpp: the emulator, or a device.

#include <memory>

#include "core/model_runner.h"
#include "cuda/runner/kernel_runner.h"

namespace kvarium_test {

/// Errors as make_kernel_runner() has them.
std::unique_ptr<kvarium::ModelRunner> make_runner(const kvarium::cpu::Model& model, kvarium::cuda::NumberType type);

}  // namespace kvarium_test
