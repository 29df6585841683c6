#include "lessons/scenarios/serve.h"

#include <utility>

#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium {

void abort_with_forks(Engine& engine, RequestId id) {
  const std::vector<RequestId> forks = engine.request(id).forks;
  engine.abort(id);
  for (const RequestId fork : forks) abort_with_forks(engine, fork);
}

void serve(const ModelChoice& choice, EngineSetup setup, const std::vector<Arrival>& arrivals, EventSink& sink,
           const CancelToken& cancel) {
  cpu::CpuRunner runner(choice.model);
  Engine engine(std::move(setup.config), runner, *setup.scheduler, *choice.tokenizer, sink);
  std::vector<RequestId> ids;
  for (std::uint64_t steps = 0; !cancel.cancelled(); ++steps) {
    while (ids.size() < arrivals.size()) {
      const Arrival& next = arrivals[ids.size()];
      const bool due = engine.idle() || (next.after_step && *next.after_step <= steps);
      if (!due) break;
      ids.push_back(engine.submit(next.request));
    }
    if (!engine.step()) break;
  }
  for (const RequestId id : ids) abort_with_forks(engine, id);
}

}  // namespace kvarium
