#include "core/scheduling/static_scheduler.h"

#include <algorithm>

#include "core/scheduling/continuous_scheduler.h"
#include "core/scheduling/planned_blocks.h"

namespace kvarium {
StepPlan StaticScheduler::plan(const SchedulerView& view) const {
  // Who runs is served as ever, and preempted when blocks are missing: candidates and forks may need more than was
  // reserved. Nobody joins before all are done.
  if (!view.running.empty()) {
    return ContinuousScheduler().plan({view.running, {}, view.pool, view.cache, view.limits});
  }
  StepPlan plan;
  PlannedBlocks blocks(view.pool, view.cache);
  std::size_t width = 0;
  std::uint64_t tokens = 0;
  for (const LiveRequest* request : view.waiting) {
    const PrefixHit hit = request->look_up();
    const std::uint32_t count = request->uncomputed_tokens() - hit.num_tokens;
    width += request->width();
    tokens += count;
    const bool fits_budget = plan.chunks.empty() || tokens <= view.limits.token_budget;
    if (width > view.limits.max_running || !fits_budget) break;
    // Room for all tokens that it may reach, so that nobody need be preempted.
    bool fits = blocks.take(hit, request->longest() - hit.num_tokens);
    for (std::uint32_t fork = 1; fits && fork < request->width(); ++fork) fits = blocks.take({}, request->longest());
    if (!fits && !plan.chunks.empty()) break;
    plan.admit.push_back(request->id());
    plan.chunks.push_back({request->id(), count});
    if (!fits) break;
  }
  return plan;
}

}  // namespace kvarium
