#pragma once
// B1: five requests and three places, the timelines that every text on batching draws.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario batching_scenario();

}  // namespace kvarium
