#pragma once
// X1: a production trace, or an invented one, through a cache of some blocks.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario mooncake_scenario();

}  // namespace kvarium
