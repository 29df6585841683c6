#pragma once
// The device's side of simt/host.h: launch().

#include <cstddef>
#include <utility>

#include "cuda/simt/device/device_buffer.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream& stream,
            Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "a kernel is launched with all of its arguments");
  constexpr std::size_t kWithoutAsking = std::size_t{48} << 10U;
  if (shared_bytes > kWithoutAsking) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "asking for " + std::to_string(shared_bytes) + " bytes of shared memory");
  }
  kernel<<<grid, block, shared_bytes, stream.get()>>>(static_cast<Parameters>(arguments)...);
  check(cudaGetLastError(), "launching a kernel");
}

/// How many blocks of a kernel the device runs at the same time.
template <typename... Parameters>
unsigned blocks_at_once(void (*kernel)(Parameters...), unsigned threads) {
  int device = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "asking for its size");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0),
        "asking how many blocks fit");
  return static_cast<unsigned>(multiprocessors * blocks);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
