#pragma once
// S11: the kernel that reads a paged cache. The engine makes a block table; a warp of the emulator attends over the
// same table, with scores and values that are easy to follow.

#include <string>

#include "cuda/demos/demo.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario paged_kernel_scenario();
/// The kernel that the Kernel tab shows beside the run.
cuda::demos::DemoPlace paged_kernel_demo(const ScenarioParams& params);
/// The kernel at its end, in words.
std::string paged_kernel_text(const ScenarioParams& params);

}  // namespace kvarium
