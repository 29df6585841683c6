#pragma once
// S02: one prompt in blocks that are handed out in scrambled order.

#include "core/cancel.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

void run_paging(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel);

}  // namespace kvarium
