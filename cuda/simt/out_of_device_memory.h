#pragma once

#include <stdexcept>

namespace kvarium::cuda {

/// The device has not enough memory. Nothing was allocated.
class OutOfDeviceMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kvarium::cuda
