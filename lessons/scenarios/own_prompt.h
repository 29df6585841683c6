#pragma once
// "own": a prompt of one's own, several times at once, on a model that comes with Kvarium or a file.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario own_prompt_scenario();

}  // namespace kvarium
