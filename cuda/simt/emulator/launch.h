#pragma once
// The emulator's side of simt/host.h: launch().

#include <string>
#include <tuple>
#include <utility>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/stream.h"

namespace kvarium::cuda::emulator {

/// The launch as a value: what launch() enqueues, and what a stepper steps through.
/// Arguments are converted to the kernel's parameters and copied, as CUDA does it.
template <typename... Parameters, typename... Arguments>
KernelLaunch make_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                         Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "a kernel is launched with all of its arguments");
  KernelLaunch launch;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.options = emulation();
  launch.kernel = [kernel, values = std::tuple<Parameters...>(static_cast<Parameters>(arguments)...)] {
    std::apply(kernel, values);
  };
  check_limits(launch);
  return launch;
}

}  // namespace kvarium::cuda::emulator

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// kernel<<<grid, block, shared_bytes, stream>>>(arguments...)
/// MisuseError at once when a size breaks a limit; KernelFault where the stream is synchronized.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream& stream,
            Arguments&&... arguments) {
  stream.enqueue(
      [launch = emulator::make_launch(kernel, grid, block, shared_bytes, std::forward<Arguments>(arguments)...)] {
        emulator::run_launch(launch);
      });
}

/// How many blocks of a kernel a device runs at the same time. Here: as an H200 does, whose 132 multiprocessors hold
/// 512 threads each when a thread has 128 registers.
template <typename... Parameters>
unsigned blocks_at_once(void (*)(Parameters...), unsigned threads) {
  return 132 * (512 / threads);
}

/// Why no kernel can run here: the emulator always runs.
inline std::string why_no_device() { return ""; }

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
