#pragma once
// Leaving one stack for another and coming back: the only thing that fibers need from outside. Two implementations, of
// which the build takes one: Boost.Context (a few nanoseconds a switch) and POSIX ucontext (system calls, a hundred
// times slower, and nothing to install).

#include <cstddef>

namespace kvarium::cuda::emulator {

/// A flow of control on a stack of its own. enter() is called from outside, leave() from inside, in turns.
class StackSwitch {
 public:
  /// entry(argument) runs on [stack, stack + bytes) from the first enter() on. It must never return.
  StackSwitch(void* stack, std::size_t bytes, void (*entry)(void*), void* argument);
  ~StackSwitch();
  StackSwitch(const StackSwitch&) = delete;
  StackSwitch& operator=(const StackSwitch&) = delete;

  void enter();
  void leave();

 private:
  struct State;
  State* state_;
};

}  // namespace kvarium::cuda::emulator
