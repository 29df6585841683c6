#pragma once
// "own": a prompt of one's own, several times at once, on the built-in model or a file.

#include "core/cancel.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

void run_own_prompt(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel);

}  // namespace kvarium
