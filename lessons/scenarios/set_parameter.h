#pragma once
// One parameter of a scenario from text, as a command line has it.

#include <string_view>

#include "lessons/scenarios/scenario.h"

namespace kvarium {

struct Assignment {
  std::string_view id, value;
};

/// "block_size=4". InputError when there is no "=".
Assignment parse_assignment(std::string_view text);
/// InputError, nothing changed, that lists the scenario's fields when it has no such field, or says that the value is
/// no number, out of range or none of the choices. What parameters must be together is checked by check().
void set_parameter(const Scenario& scenario, ScenarioParams& params, const Assignment& assignment);

}  // namespace kvarium
