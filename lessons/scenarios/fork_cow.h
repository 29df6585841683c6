#pragma once
// S03: several answers to one prompt, by forks that copy on write, or as separate requests that share full blocks only.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario fork_cow_scenario();

}  // namespace kvarium
