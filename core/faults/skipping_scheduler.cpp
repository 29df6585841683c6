#include "core/faults/skipping_scheduler.h"

#include <cstddef>
#include <vector>

#include "core/scheduling/continuous_scheduler.h"
#include "core/scheduling/planned_blocks.h"

namespace kvarium {

StepPlan SkippingScheduler::plan(const SchedulerView& view) const {
  const SchedulerView without_queue{view.running, {}, view.pool, view.cache, view.limits};
  StepPlan plan = ContinuousScheduler().plan(without_queue);
  if (!plan.preempt.empty()) return plan;
  PlannedBlocks blocks(view.pool, view.cache);
  std::uint64_t planned = 0;
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const std::uint32_t tokens = plan.chunks[i].count + plan.chunks[i].drafts;
    planned += tokens;
    if (!blocks.take(view.running[i]->table(), tokens)) return plan;
  }
  std::vector<const LiveRequest*> queue(view.waiting.begin(), view.waiting.end());
  for (std::size_t i = 0; i < queue.size(); ++i) {  // the fault: i goes on although the queue has become shorter
    const LiveRequest& request = *queue[i];
    const PrefixHit hit = request.look_up();
    const std::uint32_t tokens = request.uncomputed_tokens() - hit.num_tokens;
    const bool has_place = view.running.size() + plan.admit.size() < view.limits.max_running;
    if (!has_place || planned + tokens > view.limits.token_budget || !blocks.take(hit, tokens)) break;
    planned += tokens;
    plan.admit.push_back(request.id());
    plan.chunks.push_back({request.id(), tokens});
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return plan;
}

}  // namespace kvarium
