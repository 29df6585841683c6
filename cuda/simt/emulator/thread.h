#pragma once
// One CUDA thread and one warp, as the scheduler of a block sees them.

#include <cstdint>
#include <vector>

#include "cuda/simt/emulator/builtins.h"
#include "cuda/simt/emulator/fiber.h"
#include "cuda/simt/emulator/site.h"
#include "cuda/simt/emulator/warp_call.h"

namespace kvarium::cuda::emulator {

inline constexpr unsigned kMostThreads = 1024;  ///< of a block

enum class ThreadState : std::uint8_t { unstarted, ready, paused, at_barrier, at_warp_call, returned };

/// A register that the kernel lets a stepper see.
struct ShownNumber {
  const char* name = "";
  double value = 0;  ///< holds a float or a 32-bit integer exactly
};

struct Thread {
  ThreadState state = ThreadState::unstarted;
  Fiber* fiber = nullptr;
  uint3 index;                ///< threadIdx
  const char* waits_at = "";  ///< "__syncthreads", "__shfl_xor_sync", the label of a pause
  Site site;                  ///< the line of it
  std::uint32_t mask = 0;     ///< of the warp call it waits in
  const void* in = nullptr;   ///< what it brought there
  void* out = nullptr;
  bool predicate = false;          ///< what it brought to a barrier that counts
  std::vector<ShownNumber> shown;  ///< by SIMT_SHOW, the last value of each name; only in a block that is stepped
};

/// An open meeting of lanes.
struct OpenCall {
  const char* name = "";
  WarpFunction function = nullptr;
  std::uint32_t mask = 0;     ///< 0: this place is free
  std::uint32_t arrived = 0;  ///< lanes
  bool orders_memory = false;
  unsigned token = 0;  ///< of ThreadSanitizer, where the lanes of this meeting leave and take their order
};

inline constexpr unsigned kMostOpenCalls =
    kWarpSize / 2;  ///< an open meeting has at least one lane here and one missing
inline constexpr unsigned kTokens = 64;

struct Warp {
  std::uint32_t lanes = 0;     ///< that exist: the last warp of a block may be short
  std::uint32_t returned = 0;  ///< of these
  OpenCall calls[kMostOpenCalls];
  unsigned num_calls_ever = 0;
  char tokens[kTokens] = {};
};

}  // namespace kvarium::cuda::emulator
