#pragma once
// S06: tokens are guessed ahead, judged in one pass, and taken back where they are wrong.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario speculation_scenario();

}  // namespace kvarium
