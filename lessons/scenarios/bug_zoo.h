#pragma once
// "zoo": the bug zoo. One mistake of a real system at a time, on the few requests that bring it out.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario bug_zoo_scenario();

}  // namespace kvarium
