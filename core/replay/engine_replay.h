#pragma once
// The requests of a trace through the real engine: its pool, its prefix cache, its scheduler, one step after another,
// over a CostModelRunner. What simulate_server() takes for granted (memory for all, hits that were known before) is
// decided here block by block; all times are simulated.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/cost/step_cost.h"
#include "core/engine.h"
#include "core/replay/simulated_server.h"

namespace kvarium {

struct EngineReplay {
  std::uint64_t requests = 0;  ///< that were served to their end
  std::uint64_t refused = 0;   ///< prompt and answer need more blocks than the pool has
  std::uint64_t answer_tokens = 0;
  std::uint64_t queried_tokens = 0;  ///< of all prompts, looked up in the prefix cache when their request first started
  std::uint64_t hit_tokens = 0;      ///< of those, found
  std::uint64_t preemptions = 0;
  std::uint64_t steps = 0;
  Percentiles ttft_ms;   ///< from a request's arrival in the trace to the end of the step that gave its first token
  Percentiles tpot_ms;   ///< time per output token after the first; answers of one token have none
  Percentiles queue_ms;  ///< from arrival to the start of the step that admitted it first
  double end_ms = 0;     ///< when the last answer was complete
  double busy_ms = 0;    ///< time in steps

  double hit_ratio() const;  ///< hit_tokens / queried_tokens; 0 when nothing was looked up
};

/// Tokens that stand for a prompt of the trace: equal where the trace says that blocks are equal, and different in
/// the first four tokens of any two different blocks. For a vocabulary of CostModelRunner::kVocab.
std::vector<TokenId> tokens_of_prompt(const TracedRequest& request, std::uint32_t block_size);

/// A request arrives by the trace's clock; while the engine is idle it waits. An empty prompt or answer counts as one
/// token. `config.block_size` and the rest of the config are the caller's. Events go to `sink`; `on_progress` is told
/// of ended requests. None when cancelled. InputError when the trace does not say which blocks are equal, and as
/// Engine.
std::optional<EngineReplay> replay_with_engine(const RequestTrace& trace, const EngineConfig& config,
                                               const Scheduler& scheduler, const ServerProfile& server, EventSink& sink,
                                               const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium
