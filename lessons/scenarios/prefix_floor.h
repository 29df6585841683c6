#pragma once
// S04: how much of a shared beginning is found again, and why it is often less than one hopes.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario prefix_floor_scenario();

}  // namespace kvarium
