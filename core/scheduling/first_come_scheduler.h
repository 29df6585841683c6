#pragma once
// First come, first served, with whole prompts: what vLLM does with chunked prefill switched off.

#include "core/scheduling/scheduler.h"

namespace kvarium {

/// 1. The running requests, in the order of their admission, get their next token each. One that needs a block when
///    none is free takes those of the newest running request, which is preempted; that may be itself.
/// 2. Unless somebody was preempted, waiting requests are admitted from the head of the queue as long as a place, the
///    token budget and the blocks for all their tokens are there. The first that does not fit ends the step: nobody
///    overtakes (head-of-line blocking).
/// A prompt that is longer than the whole token budget is computed all the same, alone in its step: it would wait for
/// ever otherwise.
class FirstComeScheduler : public Scheduler {
 public:
  StepPlan plan(const SchedulerView& view) const override;
};

}  // namespace kvarium
