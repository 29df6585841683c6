#include <ucontext.h>

#include <cstdint>

#include "cuda/simt/emulator/stack_switch.h"

namespace kvarium::cuda::emulator {

struct StackSwitch::State {
  ucontext_t inside{};
  ucontext_t outside{};
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;

  /// makecontext() passes ints only: the two halves of a pointer to the State.
  static void first_enter(unsigned high, unsigned low) {
    auto* state = reinterpret_cast<State*>((std::uintptr_t{high} << 32U) | low);
    state->entry(state->argument);
  }
};

StackSwitch::StackSwitch(void* stack, std::size_t bytes, void (*entry)(void*), void* argument) : state_(new State) {
  state_->entry = entry;
  state_->argument = argument;
  getcontext(&state_->inside);
  state_->inside.uc_stack.ss_sp = stack;
  state_->inside.uc_stack.ss_size = bytes;
  state_->inside.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(state_);
  makecontext(&state_->inside, reinterpret_cast<void (*)()>(State::first_enter), 2, static_cast<unsigned>(self >> 32U),
              static_cast<unsigned>(self));
}

StackSwitch::~StackSwitch() { delete state_; }

void StackSwitch::enter() { swapcontext(&state_->outside, &state_->inside); }
void StackSwitch::leave() { swapcontext(&state_->inside, &state_->outside); }

}  // namespace kvarium::cuda::emulator
