#pragma once
// A warp operation is a meeting: every lane of the mask leaves a pointer to what it brings and to where its result
// goes, and stops. The lane that comes last does the work for all. Shuffles, votes, reductions, matrix products and
// __syncwarp are all this one thing, each with another function. Several meetings of one warp may be open at a time, as
// long as their masks have no lane in common.

#include <cstdint>

#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

inline constexpr unsigned kWarpSize = 32;

/// What the function of a meeting sees.
struct WarpCall {
  const char* name = "";
  std::uint32_t mask = 0;     ///< who was to come
  std::uint32_t present = 0;  ///< who came: lanes that returned from the kernel do not count
  const void* in[kWarpSize] = {};
  void* out[kWarpSize] = {};
  Site site[kWarpSize];

  bool has(unsigned lane) const { return lane < kWarpSize && ((present >> lane) & 1U) != 0; }
};

using WarpFunction = void (*)(const WarpCall& call);

/// Stops the running thread until all lanes of `mask` that still run are here, then `function` is called once.
/// Gives no order to memory: only __syncwarp and __syncthreads do (`orders_memory`).
void warp_call(const char* name, std::uint32_t mask, const void* in, void* out, WarpFunction function, const Site& site,
               bool orders_memory = false);

}  // namespace kvarium::cuda::emulator
