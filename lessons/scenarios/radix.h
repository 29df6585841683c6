#pragma once
// S05: five prompts one after the other grow a radix tree, until a leaf must make room.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario radix_scenario();

}  // namespace kvarium
