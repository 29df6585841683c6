#pragma once
// Streams of the emulator are as lazy as they may be: work runs when somebody waits for it. Who forgets to synchronize
// reads what was there before, every time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "cuda/simt/backend.h"

namespace kvarium::cuda::emulator {
class WorkQueue;
}

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// A place in a stream's work.
class Event {
 private:
  friend class Stream;
  std::shared_ptr<emulator::WorkQueue> queue_;
  std::uint64_t position_ = 0;
};

/// Work that is done in order. Belongs to the thread of the host that made it. What was not waited for when a stream
/// ends is never done.
class Stream {
 public:
  Stream();

  void enqueue(std::function<void()> work);
  /// Returns when all work is done. KernelFault when a kernel broke a rule; the rest of the work is dropped then.
  void synchronize();
  Event record() const;
  /// What is enqueued from now on begins after the event.
  void wait(const Event& event);

 private:
  std::shared_ptr<emulator::WorkQueue> queue_;
};

/// Waits for every stream of this thread of the host.
void synchronize_device();

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
