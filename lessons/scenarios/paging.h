#pragma once
// S02: one prompt in blocks that are handed out in scrambled order.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario paging_scenario();

}  // namespace kvarium
