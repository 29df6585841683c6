#pragma once
// Runs requests through the engine until none is left.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cancel.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/engine_setup.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {

struct Arrival {
  RequestSpec request;
  /// The request arrives when the engine has run so many steps, 0: before the first one; or sooner, when it has nothing
  /// else to do. None: when all requests before it have ended.
  std::optional<std::uint64_t> after_step = 0;
};

/// The requests arrive in their order. Cancelled: the step in progress ends, then all that is left is aborted.
/// InputError as Engine and Engine::submit().
void serve(const ModelChoice& choice, EngineSetup setup, const std::vector<Arrival>& arrivals, EventSink& sink,
           const CancelToken& cancel);

/// The request and its forks; those that have ended stay as they are.
void abort_with_forks(Engine& engine, RequestId id);

}  // namespace kvarium
