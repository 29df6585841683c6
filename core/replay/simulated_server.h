#pragma once
// How long the requests of a trace would wait, and how much of that a prefix cache saves: one GPU in simulated time.
// No token is computed. A step lasts as long as its arithmetic or its memory traffic at the GPU's peak, whichever is
// longer (the roofline); real servers reach less, so all times here are lower bounds.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cost/hardware.h"
#include "core/metrics/percentiles.h"
#include "core/model_shape.h"
#include "core/replay/line_reader.h"

namespace kvarium {

struct ServerProfile {
  ModelShape model;
  double parameters = 0;
  double bytes_per_number = 0;  ///< of weights, K and V
  const char* device = "";
  double flops_per_second = 0;  ///< peak
  Link memory{"", 0};
  std::uint32_t tokens_per_step = 0;  ///< budget: one for each answer under way, the rest for prompts
};

/// Llama 3.1 8B in BF16 (8.03 billion parameters) on an H100 SXM: 989.4 TFLOP/s without sparsity, NVIDIA's data sheet.
ServerProfile default_server();

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
