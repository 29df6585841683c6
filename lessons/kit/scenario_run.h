#pragma once
// A scenario's run, told to a lesson piece by piece: the engine has done everything, the learner has not seen it yet.
// That is how a lesson knows the answer to "what happens next?".

#include <cstddef>
#include <cstdint>
#include <variant>

#include "core/error.h"
#include "core/trace/trace.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

class ScenarioRun {
 public:
  /// Runs the scenario to its end. InputError as run_scenario().
  ScenarioRun(const Scenario& scenario, const ScenarioParams& params);

  std::uint64_t last_step() const { return trace_.num_steps(); }
  /// All of it, seen or not.
  const Trace& trace() const { return trace_; }
  /// The state at the end of a step, seen or not; 0: before the first step.
  World after_step(std::uint64_t step) const;

  /// Tells all events up to the end of a step. One that was told already tells nothing.
  void to_step(std::uint64_t step, EventSink& listener);
  void to_end(EventSink& listener);
  /// Tells all events up to the next E and including it. MisuseError when none is left.
  template <typename E>
  E through(EventSink& listener) {
    for (std::size_t i = told_; i < trace_.size(); ++i) {
      if (!std::holds_alternative<E>(trace_[i])) continue;
      tell(i + 1, listener);
      return std::get<E>(trace_[i]);
    }
    throw MisuseError("the scenario's run has no further event of this kind");
  }

 private:
  std::size_t end_of_step(std::uint64_t step) const;
  void tell(std::size_t end, EventSink& listener);

  Trace trace_;
  std::size_t told_ = 0;  ///< events [0, told_) were told
};

}  // namespace kvarium
