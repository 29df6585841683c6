#pragma once
// Errors of the CUDA runtime as exceptions.

#include <cuda_runtime.h>

#include <string>

#include "core/error.h"
#include "cuda/simt/backend.h"
#include "cuda/simt/out_of_device_memory.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// OutOfDeviceMemory, or DeviceError with CUDA's name and words for what went wrong.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t error, const std::string& doing) {
  if (error == cudaSuccess) return;
  const std::string what = doing + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
  static_cast<void>(cudaGetLastError());  // errors that are not sticky are forgotten
  if (error == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(what);
  throw DeviceError(what);
}

/// Why no kernel can run here; "" when one can.
inline std::string why_no_device() {
  int devices = 0, driver = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return "";
  static_cast<void>(cudaDriverGetVersion(&driver));
  return std::string("no usable CUDA device: ") + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
         "), driver " + std::to_string(driver) + ", devices " + std::to_string(devices);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
