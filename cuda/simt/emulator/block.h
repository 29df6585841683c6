#pragma once
// One block of threads, run on one thread of the host: each CUDA thread is a fiber, and the scheduler stands in the
// middle. It resumes a thread until it waits for others (a barrier, a warp operation) or returns. A warp runs until
// none of its lanes can go on, then the next; when all have stopped, the barrier opens, or something is wrong.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/simt/emulator/copy_queue.h"
#include "cuda/simt/emulator/options.h"
#include "cuda/simt/emulator/race_clock.h"
#include "cuda/simt/emulator/thread.h"

namespace kvarium::cuda::emulator {

class SharedMemory;

/// A launch as the emulator keeps it.
struct KernelLaunch {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of each block
  std::function<void()> kernel;  ///< the kernel with its arguments, called once a thread
  Emulation options;
};

/// Who met at a barrier.
struct Meeting {
  int num_threads = 0;
  int num_true = 0;  ///< brought a true predicate
};

class Block {
 public:
  /// Room for the blocks of `launch`, one after another.
  explicit Block(const KernelLaunch& launch);
  /// Threads that stopped in the middle are unwound.
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Begins another block: shared memory is filled with 0xFF (a NaN in every format), no thread has started.
  void begin(const uint3& index);
  /// Runs all threads to their end. KernelFault, or whatever a thread threw; then all threads are unwound.
  void run();

  // For who runs a block in smaller steps.
  bool can_run(unsigned thread) const;
  /// Runs one thread until it waits, pauses or returns. False when it cannot go on now.
  bool step_thread(unsigned thread);
  /// Runs every warp until none can go on, then opens the barrier. False when all have returned.
  bool run_phase();
  /// When every thread stands at the barrier, opens it. False when all have returned. KernelFault for anything else.
  bool open_barrier();
  bool all_returned() const { return num_returned_ == threads_.size(); }
  void pause_at_labels(bool pause) { pauses_ = pause; }
  void keep_shown() { keeps_shown_ = true; }

  // What is to be seen.
  unsigned num_threads() const { return static_cast<unsigned>(threads_.size()); }
  unsigned num_warps() const { return static_cast<unsigned>(warps_.size()); }
  const Thread& thread(unsigned index) const { return threads_[index]; }
  const uint3& index() const { return index_; }
  const KernelLaunch& launch() const { return launch_; }
  const SharedMemory& shared() const { return *shared_; }
  /// "threads 0-6 wait at __syncthreads (a.cuh:12), thread 7 returned"
  std::string waiting() const;

  // Called from inside a kernel, for the running thread.
  Meeting barrier(const char* name, bool predicate, const Site& site);
  void warp_call(const OpenCall& wanted, const void* in, void* out, const Site& site);
  void pause(const char* label, const Site& site);
  void show(const char* name, double value);
  /// Notes a line that orders memory; true when this run is to go without it.
  bool is_left_out(const Site& site) const;
  SharedMemory& shared() { return *shared_; }
  const RaceClock& race_clock() const { return race_clock_; }
  CopyQueue& copies();
  unsigned running() const { return running_; }

  /// The block whose thread is running now, or null on the host.
  static Block* current();

 private:
  /// Runs the lanes of a warp until none of them can go on.
  void run_warp(unsigned warp);
  static void thread_main(void* self);
  void resume(unsigned index);
  void suspend(ThreadState state, const char* name, const Site& site);
  void returned(unsigned index);
  bool run_lanes_once(unsigned warp);
  void check_meeting_at_barrier() const;
  OpenCall& find_call(unsigned warp, const OpenCall& wanted, const Site& site);
  void complete_if_all_are_here(unsigned warp, OpenCall& call);
  void rethrow_failure();
  void unwind();
  unsigned next_random();

  const KernelLaunch& launch_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::unique_ptr<SharedMemory> shared_;
  RaceClock race_clock_;
  std::unique_ptr<CopyQueue[]> copies_;  ///< of each thread, once one of them copies
  uint3 index_;
  unsigned running_ = 0;
  std::size_t num_returned_ = 0;
  std::size_t num_at_barrier_ = 0;
  Meeting meeting_;  ///< at the barrier that opened last
  unsigned num_barriers_ = 0;
  unsigned num_blocks_ = 0;
  char barrier_tokens_[2] = {};
  char start_token_ = 0, end_token_ = 0;
  std::exception_ptr failure_;
  bool unwinding_ = false;
  bool pauses_ = false;
  bool keeps_shown_ = false;
  std::uint64_t random_ = 0;
};

/// MisuseError when the sizes of the launch break a limit of the device (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability", 9.0).
void check_limits(const KernelLaunch& launch);

/// Runs every block of the grid, one after another.
void run_launch(const KernelLaunch& launch);

}  // namespace kvarium::cuda::emulator
