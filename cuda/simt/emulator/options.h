#pragma once
// How strictly and in which order the emulator runs the next launches.

#include <cstdint>
#include <vector>

#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

class AccessLog;

/// In which order runnable threads are resumed. A correct kernel gives the same result in each.
enum class ThreadOrder { forward, reverse, shuffled };

/// When the bytes of an asynchronous copy land: at the last moment that is allowed (finds a wait that is missing or too
/// weak) or at the first (finds a stage that is overwritten while others still read it).
enum class CopyTime { lazy, eager };

struct Emulation {
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 1;  ///< of the shuffled order
  CopyTime copies = CopyTime::lazy;
  bool allow_early_exit = false;  ///< a thread may return while others still meet at barriers (legal since sm_70)
  bool allow_different_barriers = false;  ///< threads may meet at barriers of different lines
  bool check_initialised = true;
  bool check_races = true;  ///< shared memory, between the threads of a block
  /// Mutation: the __syncthreads or __syncwarp of this line does nothing, a cp_async_wait there lets one group more be
  /// under way. A test of a kernel must notice it for each of its lines.
  Site without = {};
  std::vector<Site>* orderings = nullptr;  ///< collects those lines
  AccessLog* log = nullptr;                ///< counts sectors and bank conflicts when set; must outlive the launches
};

/// What launches of this thread of the host use.
const Emulation& emulation();

/// Uses other options until the end of the scope.
class UseEmulation {
 public:
  explicit UseEmulation(const Emulation& options);
  ~UseEmulation();
  UseEmulation(const UseEmulation&) = delete;
  UseEmulation& operator=(const UseEmulation&) = delete;

 private:
  Emulation previous_;
};

}  // namespace kvarium::cuda::emulator
