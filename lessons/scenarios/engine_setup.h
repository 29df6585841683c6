#pragma once
// From the parameters of a scenario to an engine's configuration: the same for the window, the command line, the
// lessons and the tests.

#include <memory>
#include <vector>

#include "core/engine.h"
#include "core/scheduling/scheduler.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

struct EngineSetup {
  EngineConfig config;
  std::unique_ptr<Scheduler> scheduler;
};

/// Reads block_size, num_blocks, seed, max_running, token_budget and the choices; they must have passed check().
/// InputError for a choice that there is not.
EngineSetup make_setup(const ScenarioParams& params);

/// The order in which the pool hands out its blocks: scrambled by the seed. 16 blocks and seed 7 begin with 7, 3, 12,
/// as in the pictures of the guides.
std::vector<BlockId> hand_out_order(const ScenarioParams& params);

}  // namespace kvarium
