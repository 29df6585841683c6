#pragma once
// The engine's ModelRunner on a device, for code that knows no CUDA header. A program built without CUDA has these
// functions too, and they say so.

#include <memory>
#include <string>

#include "core/model_runner.h"
#include "cuda/runner/kernel_runner.h"

namespace kvarium::cuda {

/// Why no runner can be made here, in one line: the program was built without CUDA, there is no driver, or no device.
/// "" when one can.
std::string why_no_device_runner();

/// As CUDA calls it: "NVIDIA H200". MisuseError where no runner can be made.
std::string device_name();

/// As make_kernel_runner(). InputError, with the reason, where no runner can be made.
std::unique_ptr<ModelRunner> make_device_runner(PlainModel model, NumberType type);

}  // namespace kvarium::cuda
