#include "cuda/demos/decode_passes.h"

#include <cmath>
#include <string>
#include <string_view>

#include "cuda/demos/stepped_kernel.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::Thread;

double shown(const Thread& thread, std::string_view name) {
  for (const emulator::ShownNumber& number : thread.shown) {
    if (number.name == name) return number.value;
  }
  return NAN;
}

bool all_stand_at(const emulator::Stepper& threads, std::string_view stop) {
  for (unsigned t = 0; t < threads.num_threads(); ++t) {
    const Thread& thread = threads.thread(t);
    if (thread.state != emulator::ThreadState::paused || thread.waits_at != stop) return false;
  }
  return true;
}

DecodePass pass_of(const SteppedKernel& kernel) {
  DecodePass pass;
  pass.steps = kernel.num_steps();
  for (unsigned t = 0; t < kernel.threads().num_threads(); ++t) {
    const double score = shown(kernel.threads().thread(t), "score");
    if (score == -INFINITY) continue;  // no key is left for this lane
    pass.lanes |= 1U << t;
    pass.scores.push_back(score);
    pass.slots.push_back(static_cast<std::size_t>(shown(kernel.threads().thread(t), "slot")));
  }
  const Thread& first = kernel.threads().thread(0);
  pass.alpha = shown(first, "alpha");
  pass.m = shown(first, "m");
  pass.l = shown(first, "l");
  pass.acc = shown(first, "acc");
  return pass;
}

}  // namespace

DemoPlace eleven_keys_place(unsigned lanes) {
  return find_demo("attention_decode", "warp_a_head", "eleven-" + std::to_string(lanes));
}

DecodeWalk walk_eleven_keys(unsigned lanes) {
  SteppedKernel kernel(eleven_keys_place(lanes));
  DecodeWalk walk;
  while (kernel.forward(StepSize::stop)) {
    if (all_stand_at(kernel.threads(), "pass")) walk.passes.push_back(pass_of(kernel));
  }
  walk.steps = kernel.num_steps();
  walk.out = static_cast<double>(kernel.outputs()[0].numbers[0]);
  return walk;
}

}  // namespace kvarium::cuda::demos
