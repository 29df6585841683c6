#pragma once
// Between the scenarios, which know the engine, and the form, which knows only fields.

#include "lessons/scenarios/scenario.h"
#include "visualizer/panels/scenario_panel.h"

namespace kvarium::ui {

/// The cards of all scenarios; none chosen.
ScenarioForm make_form();
/// Fills the form with the scenario's fields at their defaults. InputError when there is no such scenario.
void choose(ScenarioForm& form, std::string_view id);
/// The parameters that the form says.
ScenarioParams params_of(const ScenarioForm& form);
/// Writes one field from text, as a command line has it. InputError as set_parameter() of the scenarios.
void set_field(ScenarioForm& form, std::string_view id, std::string_view value);

}  // namespace kvarium::ui
