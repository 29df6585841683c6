#pragma once
// S08: query heads that share K and V, on a model that computes, beside the sizes of six published models.

#include "lessons/scenarios/scenario.h"

namespace kvarium {

Scenario fewer_heads_scenario();
/// What the tab Heads shows beside the run, in words: sizes that need no engine.
std::string fewer_heads_text();

}  // namespace kvarium
