#pragma once
// A kernel in slow motion: one lane, one warp or everything up to the next barrier at a time, and what every thread
// waits for in between. Threads stay where they stopped, so several kernels can be stepped by turns on one thread of
// the host.

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::emulator {

/// Every step may throw a KernelFault; then the block can only be begun again.
class Stepper {
 public:
  /// `launch` comes from make_launch(). Begins its first block.
  explicit Stepper(KernelLaunch launch);

  /// Gives up the block that is under way and begins another. MisuseError when the grid has no such block.
  void begin_block(const uint3& index);

  /// Runs one thread until it stops: at a SIMT_PAUSE, a warp operation, a barrier or its end. False when it cannot go
  /// on before others have come.
  bool step_lane(unsigned thread);
  /// The same for each lane of a warp that can go on. False when none can.
  bool step_warp(unsigned warp);
  /// Opens the barrier at which all threads wait. False when somebody can still go on, or all have returned.
  bool step_barrier();
  /// Runs all threads to the next barrier and opens it, or to their end. False when all have returned.
  bool step_phase();

  bool is_done() const { return block_.all_returned(); }
  unsigned num_threads() const { return block_.num_threads(); }
  unsigned num_warps() const { return block_.num_warps(); }
  /// Its state, the line where it waits, what for, with which mask, and the registers that the kernel shows.
  const Thread& thread(unsigned index) const { return block_.thread(index); }
  const SharedMemory& shared() const { return block_.shared(); }
  /// "threads 0-6 wait at __syncthreads (a.cuh:12), thread 7 returned"
  std::string waiting() const { return block_.waiting(); }

 private:
  bool anybody_can_run() const;

  KernelLaunch launch_;
  Block block_;
};

}  // namespace kvarium::cuda::emulator
