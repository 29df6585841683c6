#pragma once
// Compare mode: two runs of the same requests at the same step, one parameter apart.

#include <functional>
#include <string>
#include <vector>

#include "core/metrics/comparison.h"
#include "visualizer/panels/scenario_panel.h"

namespace kvarium::ui {

/// What the panel shows; plain references for one frame.
struct CompareView {
  const World& left;
  const World* right = nullptr;  ///< nullptr: nothing was compared yet
  const std::vector<ComparedRow>& rows;
  bool running = false;
};

struct ComparePanelState {
  bool open = false;
  int field = 0;           ///< index into comparable_fields()
  FormField other;         ///< that field, with the other run's value
  std::string left_title;  ///< "eviction = lru"
  std::string right_title;
  std::string error;  ///< why the other run cannot be; empty: it can
};

/// Indexes of the form's fields that can differ between two runs of the same requests' kind: numbers and choices.
std::vector<std::size_t> comparable_fields(const ScenarioForm& form);
/// The state's field takes the value that a person is likeliest to want beside what the form says.
void suggest_other(ComparePanelState& state, const ScenarioForm& form);
/// A field's value as a command line has it: "lru", "16".
std::string value_text(const FormField& field);

/// `start`: runs the other one with what the state says.
void draw_compare_panel(PanelContext& context, ComparePanelState& state, const ScenarioForm& form,
                        const CompareView& view, const layout::Rect& dock, const std::function<void()>& start);

}  // namespace kvarium::ui
