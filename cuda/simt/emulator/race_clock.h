#pragma once
// When two threads of a block are ordered. A barrier orders everything before it with everything after it: a new epoch.
// __syncwarp orders only the lanes of its mask: each lane keeps a vector clock over the lanes of its warp, as
// FastTrack (Flanagan and Freund 2009) does for all threads. Shuffles and votes give no order, as on a device.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/simt/emulator/warp_call.h"

namespace kvarium::cuda::emulator {

class RaceClock {
 public:
  /// For so many warps; none when races are not looked for.
  explicit RaceClock(std::size_t num_warps) : warps_(num_warps) {}

  void meet_at_barrier() { ++epoch_; }

  void meet_in_warp(unsigned warp, std::uint32_t lanes) {
    if (warps_.empty()) return;
    LaneClocks& clocks = warps_[warp];
    std::uint32_t joined[kWarpSize] = {};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((lanes >> lane) & 1U) == 0) continue;
      for (unsigned i = 0; i < kWarpSize; ++i) joined[i] = std::max(joined[i], clocks.seen[lane][i]);
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((lanes >> lane) & 1U) == 0) continue;
      std::copy(joined, joined + kWarpSize, clocks.seen[lane]);
      ++clocks.seen[lane][lane];
    }
  }

  std::uint32_t epoch() const { return epoch_; }
  /// A thread's own time.
  std::uint32_t clock(unsigned thread) const { return seen(thread, thread); }
  /// What `observer` has seen of the time of `other`, a lane of its warp.
  std::uint32_t seen(unsigned observer, unsigned other) const {
    return warps_[observer / kWarpSize].seen[observer % kWarpSize][other % kWarpSize];
  }

 private:
  struct LaneClocks {
    LaneClocks() {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) seen[lane][lane] = 1;
    }
    std::uint32_t seen[kWarpSize][kWarpSize] = {};
  };

  std::uint32_t epoch_ = 0;
  std::vector<LaneClocks> warps_;
};

}  // namespace kvarium::cuda::emulator
