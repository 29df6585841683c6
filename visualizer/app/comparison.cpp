#include "visualizer/app/comparison.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace kvarium::ui {

void Comparison::start(const Scenario& scenario, const ScenarioParams& params) {
  check(scenario, params);
  forget();
  other_ = std::make_unique<Other>();
  session_.start([&scenario, params](EventSink& sink, const CancelToken& cancel) {
    run_scenario(scenario, params, sink, cancel);
  });
}

void Comparison::forget() {
  session_.stop();
  other_.reset();
  right_log_ = {};
  rows_.clear();
  right_events_ = 0;
}

std::optional<std::string> Comparison::update(const Player& left) {
  if (!other_) return std::nullopt;
  if (session_.take(batch_)) {
    for (Event& event : batch_) other_->trace.emit(std::move(event));
  }
  const Trace& trace = left.trace();
  if (left_trace_ != &trace) left_log_ = {};
  const bool same = left_trace_ == &trace && left_position_ == left.position() && left_events_ == trace.size() &&
                    right_events_ == other_->trace.size();
  if (!same) {
    other_->player.seek_step(left.world().step);
    left_log_.follow(trace);
    right_log_.follow(other_->trace);
    rows_ = compare(summarise(trace, left.world(), left_log_), trace.num_steps(),
                    summarise(other_->trace, other_->player.world(), right_log_), other_->trace.num_steps());
    left_trace_ = &trace;
    left_position_ = left.position();
    left_events_ = trace.size();
    right_events_ = other_->trace.size();
  }
  return session_.take_error();
}

CompareView Comparison::view(const Player& left) const {
  return {left.world(), other_ ? &other_->player.world() : nullptr, rows_, session_.running()};
}

}  // namespace kvarium::ui
