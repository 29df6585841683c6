#pragma once
// A scheduler of the bug zoo: the simplified scheduler of a popular text, which removes from the list that it walks
// along. After each removal the next request slides into the place that the loop has just left, and is skipped.

#include "core/scheduling/scheduler.h"

namespace kvarium {

/// Says that it serves in order of arrival, and does not.
class SkippingScheduler final : public Scheduler {
 public:
  StepPlan plan(const SchedulerView& view) const override;
  std::string name() const override { return "first come, with a queue that is changed in its loop"; }
  bool serves_in_order() const override { return true; }
};

}  // namespace kvarium
