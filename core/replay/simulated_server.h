#pragma once
// How long the requests of a trace would wait, and how much of that a prefix cache saves: one GPU in simulated time.
// No token is computed: how long a step lasts, core/cost/step_cost.h says. All times are lower bounds.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cost/step_cost.h"
#include "core/metrics/percentiles.h"
#include "core/replay/line_reader.h"
#include "core/replay/request_trace.h"

namespace kvarium {

struct SimulatedTimes {
  Percentiles ttft_ms;  ///< time to first token: from arrival to the end of the prompt's last step, queue included
  Percentiles tpot_ms;  ///< time per output token after the first; answers of one token have none
  std::uint64_t steps = 0;
  double end_ms = 0;   ///< when the last answer was complete
  double busy_ms = 0;  ///< time in steps
};

/// Continuous batching: in each step every answer under way gets a token, and prompts are prefilled in order of
/// arrival with what the budget leaves. `hit_tokens`: of each prompt, what the cache saves; at least one token of a
/// prompt is computed. Taken for granted: the cached K and V are in the GPU's memory, which holds all requests, and no
/// prompt is too long for the model. None when cancelled. `on_progress` is told of prefilled requests.
std::optional<SimulatedTimes> simulate_server(const RequestTrace& trace, const std::vector<std::uint64_t>& hit_tokens,
                                              const ServerProfile& server, const OnProgress& on_progress,
                                              const CancelToken& cancel);

}  // namespace kvarium
