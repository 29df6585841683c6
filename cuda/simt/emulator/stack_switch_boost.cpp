#include <boost/context/detail/fcontext.hpp>

#include "cuda/simt/emulator/stack_switch.h"

namespace kvarium::cuda::emulator {

namespace context = boost::context::detail;

struct StackSwitch::State {
  context::fcontext_t inside = nullptr;   ///< where enter() goes
  context::fcontext_t outside = nullptr;  ///< where leave() goes
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;

  static void first_enter(context::transfer_t from) {
    auto* state = static_cast<State*>(from.data);
    state->outside = from.fctx;
    state->entry(state->argument);
  }
};

StackSwitch::StackSwitch(void* stack, std::size_t bytes, void (*entry)(void*), void* argument) : state_(new State) {
  state_->entry = entry;
  state_->argument = argument;
  // Stacks grow downwards: the context is given its upper end.
  state_->inside = context::make_fcontext(static_cast<char*>(stack) + bytes, bytes, State::first_enter);
}

StackSwitch::~StackSwitch() { delete state_; }

void StackSwitch::enter() { state_->inside = context::jump_fcontext(state_->inside, state_).fctx; }
void StackSwitch::leave() { state_->outside = context::jump_fcontext(state_->outside, nullptr).fctx; }

}  // namespace kvarium::cuda::emulator
