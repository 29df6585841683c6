#pragma once
// How long work is stopped from another thread: it asks at each step and returns early, everything consistent.

#include <atomic>

namespace kvarium {

class CancelToken {
 public:
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace kvarium
