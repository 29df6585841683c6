#pragma once
// S01: two requests with the same prompt. A computes everything again at each step, B keeps K and V in blocks.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

/// Each step adds one token to both, so that step for step their work can be compared.
Scenario why_cache_scenario();

}  // namespace kvarium
