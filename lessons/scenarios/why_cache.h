#pragma once
// S01: two requests with the same prompt. A computes everything again at each step, B keeps K and V in blocks.

#include "core/cancel.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

/// Each step adds one token to both, so that step for step their work can be compared.
void run_why_cache(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel);

}  // namespace kvarium
