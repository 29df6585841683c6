#pragma once
// Asynchronous copies of the emulator. They land as late as is allowed, at the wait, or as early as possible, at once
// (Emulation::copies): a kernel must give the same result with both.

#include <cstddef>

#include "cuda/simt/emulator/options.h"
#include "cuda/simt/emulator/region.h"
#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

struct PendingCopy {
  Region* to_region = nullptr;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;  ///< of `from`; the rest of the 16 is zero
  unsigned group = 0;
  bool has_landed = false;  ///< in the eager mode: the bytes are there, but nobody may count on it
  Site site;
};

inline constexpr std::size_t kCopyBytes = 16;
inline constexpr std::size_t kMostCopies = 128;  ///< of one thread under way

/// The copies of one thread, oldest first.
struct CopyQueue {
  PendingCopy copies[kMostCopies];
  std::size_t count = 0;
  unsigned group = 0;  ///< that is open
};

// For the running thread. KernelFault: bounds, alignment (16), uninitialised, in_flight (too many).
void begin_copy(Region* to_region, void* to, Region* from_region, const void* from, int bytes, const Site& site);
void commit_copies();
/// All groups but the `youngest` ones land.
void wait_for_copies(unsigned youngest, const Site& site);

/// A thread returns: what it began lands.
void land_all_copies(CopyQueue& queue);
/// A thread is given up: what it began never lands.
void forget_copies(CopyQueue& queue);

}  // namespace kvarium::cuda::emulator
