#pragma once
// The Spec tab: the rounds of guesses so far, newest first; both caches; what guessing is worth, beside theory; and two
// rules of acceptance judged by counting.

#include <cstddef>
#include <optional>

#include "core/metrics/round_log.h"
#include "core/metrics/speculation_figures.h"
#include "core/speculation/rule_experiment.h"
#include "visualizer/panels/scenario_panel.h"

namespace kvarium::ui {

/// The exact rule and the bug zoo's, counted side by side.
struct RuleTrial {
  int problem = 0;     ///< index into rule_problems()
  int draws = 10'000;  ///< that are wanted
  std::optional<RuleExperiment> exact, zoo;

  /// Draws on, at most `most` of each rule; anew where fewer are wanted than there are. True when more are to come.
  bool advance(std::uint64_t most);
};

struct SpecPanelState {
  int cost = 10;         ///< hundredths: what a guess costs, in passes of the target
  bool as_text = false;  ///< all of it as text, to read and to copy
  RuleTrial trial;

  // Of the moment that is shown, kept while it stays the same.
  RoundLog log;
  Rounds rounds;
  SpeculationFigures figures;
  std::size_t position = 0, events = SIZE_MAX;
  int figures_cost = -1;

  double cost_of_a_guess() const { return cost / 100.0; }
  void forget();  ///< for another trace
};

/// Brings the state to the moment that is shown.
void follow(SpecPanelState& state, const Trace& trace, const World& now);
/// All that the tab shows, as text.
std::string spec_text(const SpecPanelState& state, const World& now, const Target& selected);
/// `form`: of the scenario that is shown; its proposer, draft length and temperature may be changed here too.
void draw_spec_panel(PanelContext& context, SpecPanelState& state, ScenarioForm& form, const layout::Rect& dock);

}  // namespace kvarium::ui
