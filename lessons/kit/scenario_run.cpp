#include "lessons/kit/scenario_run.h"

namespace kvarium {

ScenarioRun::ScenarioRun(const Scenario& scenario, const ScenarioParams& params) {
  run_scenario(scenario, params, trace_, CancelToken());
}

World ScenarioRun::after_step(std::uint64_t step) const { return trace_.world_at(end_of_step(step)); }

void ScenarioRun::to_step(std::uint64_t step, EventSink& listener) { tell(end_of_step(step), listener); }

void ScenarioRun::to_end(EventSink& listener) { tell(trace_.size(), listener); }

std::size_t ScenarioRun::end_of_step(std::uint64_t step) const {
  return step < trace_.num_steps() ? trace_.start_of_step(step + 1) : trace_.size();
}

void ScenarioRun::tell(std::size_t end, EventSink& listener) {
  for (; told_ < end; ++told_) listener.emit(trace_[told_]);
}

}  // namespace kvarium
