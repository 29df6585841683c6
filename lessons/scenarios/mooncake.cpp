#include "lessons/scenarios/mooncake.h"

#include <optional>
#include <utility>

#include "core/eviction/policies.h"
#include "core/replay/made_up_trace.h"
#include "core/replay/mooncake_reader.h"
#include "core/replay/recorded_replay.h"
#include "core/replay/trace_file.h"
#include "lessons/scenarios/field.h"

namespace kvarium {
namespace {

/// None when cancelled.
std::optional<RequestTrace> read(const ScenarioParams& params, const CancelToken& cancel) {
  if (params.trace_path.empty()) return made_up_trace(params.num_requests, params.seed);
  std::ifstream file = open_request_trace(params.trace_path);
  std::optional<RequestTrace> trace = read_mooncake(file, params.trace_path, {}, cancel);
  if (trace) trace = first_requests(std::move(*trace), params.num_requests);
  return trace;
}

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const std::optional<RequestTrace> trace = read(params, cancel);
  if (!trace) return;
  record_replay(*trace, *find_eviction_policy(params.eviction).make(), params.num_blocks, sink, {}, cancel);
}

}  // namespace

Scenario mooncake_scenario() {
  return {
      "X1",
      "mooncake",
      "What would a cache have saved?",
      "A trace of Mooncake's production servers, or an invented one where no file is given, goes through a cache; a "
      "token stands for a block of 512 tokens. Watch who is evicted when the cache is full.",
      {.block_size = 1, .num_blocks = 300, .num_requests = 200, .prefix_cache = "hash"},
      {{"trace_path", "Trace file", "A trace of Mooncake, JSON lines; empty: an invented one.", FieldKind::file},
       number_field("num_requests", "Requests", "How many to invent, or to read from the file's beginning.", 1,
                    100'000),
       number_field("num_blocks", "Cache (blocks)", "How many blocks of 512 tokens the cache keeps.", 1, 100'000),
       eviction_field(),
       number_field("seed", "Seed", "The same seed, the same invented trace.", 0, 999'999)},
      run};
}

}  // namespace kvarium
