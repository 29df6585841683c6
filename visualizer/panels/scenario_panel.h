#pragma once
// The list of scenarios and the form with the parameters of the chosen one.

#include <string>
#include <string_view>
#include <vector>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct ScenarioCard {
  std::string id, title, summary;
};

/// A parameter as the form edits it: a number in units, or a text, which of a choice is one of `choices`.
struct FormField {
  enum class Kind : std::uint8_t { number, text, file, choice };
  std::string id, name, help;
  Kind kind = Kind::number;
  int low = 0, high = 0;
  std::vector<int> stops;  ///< empty: every number of the range
  float unit = 1;          ///< what one unit of `number` is worth
  int number = 0, default_number = 0;
  std::string text, default_text;
  std::vector<std::string> choices, choice_names;  ///< in the same order

  bool changed() const { return number != default_number || text != default_text; }
  void reset() {
    number = default_number;
    text = default_text;
  }
};

struct ScenarioForm {
  std::vector<ScenarioCard> cards;
  std::string chosen;             ///< id of a card
  std::vector<FormField> fields;  ///< of the chosen one
  std::string error;              ///< why it cannot run; empty: it can
  std::string note;               ///< what it waits for before it runs; empty: nothing

  bool changed() const;
  void reset();
};

/// The field of this id; nullptr when the form has none.
FormField* find_field(ScenarioForm& form, std::string_view id);
/// Draws one field; its control has the id `prefix` + the field's own. `width`: logical pixels, 0 for all there is.
void draw_field(PanelContext& context, FormField& field, std::string_view prefix = {}, float width = 0);
void draw_scenario_panel(PanelContext& context, ScenarioForm& form, const layout::Rect& dock);

}  // namespace kvarium::ui
