// device_runner.h in a program built with CUDA.

#include "cuda/runner/device_runner.h"

#include "core/error.h"
#include "cuda/simt/host.h"

namespace kvarium::cuda {

std::string why_no_device_runner() {
  const std::string reason = why_no_device();
  return reason.empty() ? "" : reason + ": run the kernels emulated, with --runner kernels";
}

std::string device_name() {
  if (!why_no_device().empty()) throw MisuseError("there is no device to name");
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaGetDeviceProperties(&properties, device), "asking for its name");
  return properties.name;
}

std::unique_ptr<ModelRunner> make_device_runner(PlainModel model, NumberType type) {
  const std::string reason = why_no_device_runner();
  if (!reason.empty()) throw InputError(reason);
  return make_kernel_runner(std::move(model), type);
}

}  // namespace kvarium::cuda
