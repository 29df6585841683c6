#include "lessons/scenarios/serve.h"

#include <algorithm>
#include <utility>

#include "core/scheduling/continuous_scheduler.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium {

void serve(const ModelChoice& choice, std::uint32_t block_size, std::vector<BlockId> hand_out_order,
           const std::vector<RequestSpec>& requests, EventSink& sink, const CancelToken& cancel) {
  cpu::CpuRunner runner(choice.model);
  const ContinuousScheduler scheduler;
  EngineConfig config;
  config.block_size = block_size;
  config.hand_out_order = std::move(hand_out_order);
  config.limits.max_running = std::max(config.limits.max_running, static_cast<std::uint32_t>(requests.size()));
  Engine engine(std::move(config), runner, scheduler, *choice.tokenizer, sink);
  std::vector<RequestId> ids;
  ids.reserve(requests.size());
  for (const RequestSpec& request : requests) ids.push_back(engine.submit(request));
  while (!cancel.cancelled() && engine.step()) {
  }
  for (const RequestId id : ids) engine.abort(id);  // does nothing to a request that has ended
}

}  // namespace kvarium
