#include "cuda/simt/emulator/stepper.h"

#include <utility>

#include "core/error.h"

namespace kvarium::cuda::emulator {

Stepper::Stepper(KernelLaunch launch) : launch_(std::move(launch)), block_(launch_) {
  block_.keep_shown();
  block_.begin({});
}

void Stepper::begin_block(const uint3& index) {
  if (index.x >= launch_.grid.x || index.y >= launch_.grid.y || index.z >= launch_.grid.z) {
    throw MisuseError("the grid has no block (" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
                      std::to_string(index.z) + ")");
  }
  block_.begin(index);
}

bool Stepper::anybody_can_run() const {
  for (unsigned t = 0; t < num_threads(); ++t) {
    if (block_.can_run(t)) return true;
  }
  return false;
}

bool Stepper::step_lane(unsigned thread) {
  block_.pause_at_labels(true);
  return block_.step_thread(thread);
}

bool Stepper::step_warp(unsigned warp) {
  block_.pause_at_labels(true);
  // Who is released by the last lane of a meeting goes on in the next step, not in this one.
  bool can_run[kWarpSize] = {};
  const unsigned first = warp * kWarpSize;
  for (unsigned lane = 0; lane < kWarpSize && first + lane < num_threads(); ++lane)
    can_run[lane] = block_.can_run(first + lane);
  bool has_run = false;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (can_run[lane]) has_run = block_.step_thread(first + lane) || has_run;
  }
  return has_run;
}

bool Stepper::step_barrier() { return !anybody_can_run() && block_.open_barrier(); }

bool Stepper::step_phase() {
  block_.pause_at_labels(false);
  return block_.run_phase();
}

}  // namespace kvarium::cuda::emulator
