#pragma once
// Numbers to compute with, made where they are needed: copying gigabytes from the host would take longer than the rest.

#include <cstddef>

#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Evenly spread over -1 to 1: the top bits of a product (Knuth's multiplicative hashing), another row for each seed.
template <typename T>
__global__ void fill_kernel(gptr<T> numbers, std::size_t count, unsigned seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const unsigned bits = (static_cast<unsigned>(i) + seed * 7919U) * 2654435769U;
    numbers[i] = from_float<T>(static_cast<float>(bits >> 8U) / static_cast<float>(1U << 23U) - 1.0F);
  }
}

/// A buffer of such numbers.
template <typename T>
DeviceBuffer<T> filled(std::size_t count, unsigned seed, const char* name) {
  DeviceBuffer<T> buffer(count, name);
  Stream stream;
  constexpr unsigned kThreads = 256;
  const std::size_t blocks = (count + kThreads - 1) / kThreads;
  launch(fill_kernel<T>, static_cast<unsigned>(blocks < 4096 ? blocks : 4096), kThreads, 0, stream, buffer.ptr(), count,
         seed);
  stream.synchronize();
  return buffer;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
