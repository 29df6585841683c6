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
  constexpr int kOldest = 8;  // sm_80: the oldest that the kernels are compiled for
  int devices = 0, driver = 0, device = 0, major = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) {
    error = cudaFree(nullptr);  // makes the context: fails where the device is taken or broken
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess && major >= kOldest) return "";
    if (error == cudaSuccess) {
      return "no usable CUDA device: its compute capability is " + std::to_string(major) + ".x, the kernels need " +
             std::to_string(kOldest) + ".0";
    }
    static_cast<void>(cudaGetLastError());
  }
  static_cast<void>(cudaDriverGetVersion(&driver));
  return std::string("no usable CUDA device: ") + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
         "), driver " + std::to_string(driver) + ", devices " + std::to_string(devices);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
