#pragma once
// Is a plan possible? The engine asks before it changes anything.

#include "core/scheduling/scheduler.h"
#include "core/scheduling/step_plan.h"

namespace kvarium {

/// MisuseError that says what is wrong: a request is preempted that does not run, is admitted that does not wait,
/// computes without running, or more tokens than it has, or more drafts than it wants; too many run, or the blocks do
/// not suffice. The token budget is the scheduler's own affair: see ContinuousScheduler.
void check(const StepPlan& plan, const SchedulerView& view);

}  // namespace kvarium
