#pragma once
// Static batching, the old way: a batch is filled once and runs until its longest answer is done. It is here to be
// compared with.

#include "core/scheduling/scheduler.h"

namespace kvarium {

/// Waiting requests are admitted in their order, whole prompts, only while nobody runs; nobody joins later.
class StaticScheduler final : public Scheduler {
 public:
  StepPlan plan(const SchedulerView& view) const override;
  std::string name() const override { return "static batching"; }
  bool serves_in_order() const override { return true; }
};

}  // namespace kvarium
