#pragma once
// S07: four requests in a pool that is too small for all of them: one is preempted and comes back.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario batch_preempt_scenario();

}  // namespace kvarium
