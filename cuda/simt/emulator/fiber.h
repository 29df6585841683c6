#pragma once
// A fiber carries one CUDA thread: it can stop in the middle of a kernel and go on later. Fibers stay on the thread of
// the host that made them. AddressSanitizer and ThreadSanitizer are told of every switch.

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/simt/emulator/stack_switch.h"

namespace kvarium::cuda::emulator {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs body(argument) until it suspends or returns.
  void start(void (*body)(void*), void* argument);
  /// Goes on behind the last suspend(), until the next or until the body returns.
  void resume();
  /// From inside: back to who started or resumed.
  void suspend();

 private:
  static void main(void* self);
  void enter();
  void leave();

  void* mapping_;  ///< a guard page, then the stack
  void* stack_;
  std::unique_ptr<StackSwitch> switch_;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  // Of the sanitizers, in the builds that have them.
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
  [[maybe_unused]] void* tsan_outside_ = nullptr;
  [[maybe_unused]] void* asan_inside_ = nullptr;  ///< fake stacks of the two sides while they wait
  [[maybe_unused]] void* asan_outside_ = nullptr;
  [[maybe_unused]] const void* outside_bottom_ = nullptr;
  [[maybe_unused]] std::size_t outside_bytes_ = 0;
};

/// Fibers are kept: a stack costs a system call, and a fiber of ThreadSanitizer milliseconds.
class FiberPool {
 public:
  /// A fiber for `slot`. Under ThreadSanitizer each slot has its own for ever: threads that share one would seem
  /// ordered.
  Fiber& take(std::size_t slot);
  void give_back(Fiber& fiber);

 private:
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

FiberPool& fiber_pool();

}  // namespace kvarium::cuda::emulator
