#pragma once
// One parameter of a scenario from text, as a command line has it.

#include <string_view>

#include "lessons/scenarios/scenario.h"

namespace kvarium {

/// `assignment`: "block_size=4". InputError that lists the scenario's fields when it has no such field, or says that
/// the value is no number. Ranges are checked by check().
void set_parameter(const Scenario& scenario, ScenarioParams& params, std::string_view assignment);

}  // namespace kvarium
