#pragma once
// A second run of the same scenario with one other parameter, which follows the player of the first, step by step.

#include <memory>
#include <string>
#include <vector>

#include "core/metrics/comparison.h"
#include "core/trace/player.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/app/session.h"
#include "visualizer/panels/compare_panel.h"

namespace kvarium::ui {

class Comparison {
 public:
  /// Runs the scenario anew. InputError, the run before stays, for parameters that cannot run.
  void start(const Scenario& scenario, const ScenarioParams& params);
  void forget();

  /// Takes what the engine has emitted and goes to the end of the step at which `left` is. Returns why the run failed.
  std::optional<std::string> update(const Player& left);
  bool running() const { return session_.running(); }
  /// Both runs at the same step.
  CompareView view(const Player& left) const;

 private:
  struct Other {
    Trace trace;
    Player player{trace};
  };

  Session session_;
  std::vector<Event> batch_;
  std::unique_ptr<Other> other_;
  MetricsLog left_log_, right_log_;
  std::vector<ComparedRow> rows_;
  const Trace* left_trace_ = nullptr;                                   ///< that left_log_ is of
  std::size_t left_position_ = 0, left_events_ = 0, right_events_ = 0;  ///< that rows_ are of
};

}  // namespace kvarium::ui
