#pragma once
// Shortcuts of the emulator's tests.

#include <string>
#include <utility>

#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/options.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"

namespace kvarium_test {

inline constexpr kvarium::cuda::emulator::ThreadOrder kOrders[] = {kvarium::cuda::emulator::ThreadOrder::forward,
                                                                   kvarium::cuda::emulator::ThreadOrder::reverse,
                                                                   kvarium::cuda::emulator::ThreadOrder::shuffled};

/// Launches a kernel and waits for it.
template <typename... Parameters, typename... Arguments>
void run(void (*kernel)(Parameters...), kvarium::cuda::dim3 grid, kvarium::cuda::dim3 block, Arguments&&... arguments) {
  kvarium::cuda::Stream stream;
  kvarium::cuda::launch(kernel, grid, block, 0, stream, std::forward<Arguments>(arguments)...);
  stream.synchronize();
}

/// What `work` is stopped with: its message, or "" when it is not stopped.
template <typename Work>
std::string fault_of(const Work& work) {
  try {
    work();
  } catch (const kvarium::cuda::emulator::KernelFault& caught) {
    return caught.what();
  }
  return "";
}

/// "file_test.cpp:12"
inline std::string line_of(const char* file, int line) {
  return kvarium::cuda::emulator::text_of(kvarium::cuda::emulator::Site{file, line});
}

}  // namespace kvarium_test
