#pragma once
// Runs requests through the engine until none is left.

#include <vector>

#include "core/cancel.h"
#include "core/engine.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {

/// All requests arrive before the first step. Cancelled: the step in progress ends, then all that is left is aborted.
/// InputError as Engine and Engine::submit().
void serve(const ModelChoice& choice, std::uint32_t block_size, std::vector<BlockId> hand_out_order,
           const std::vector<RequestSpec>& requests, EventSink& sink, const CancelToken& cancel);

}  // namespace kvarium
