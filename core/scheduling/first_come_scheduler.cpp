#include "core/scheduling/first_come_scheduler.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/scheduling/planned_blocks.h"

namespace kvarium {
namespace {

/// One step in the making.
class Planner {
 public:
  explicit Planner(const SchedulerView& view)
      : view_(view), running_(view.running.begin(), view.running.end()), blocks_(view.pool) {}

  StepPlan run() {
    // running_ loses victims at its end while the loop goes on: whoever has its chunk already stands before them.
    for (std::size_t place = 0; place < running_.size(); ++place) continue_running(place);
    if (plan_.preempt.empty()) admit_waiting();
    return std::move(plan_);
  }

 private:
  bool within_budget(std::uint32_t tokens) const {
    return plan_.chunks.empty() || planned_tokens_ + tokens <= view_.limits.token_budget;
  }
  void compute_all_of(const LiveRequest& request) {
    plan_.chunks.push_back({request.id(), request.uncomputed_tokens()});
    planned_tokens_ += request.uncomputed_tokens();
  }

  void continue_running(std::size_t place) {
    const LiveRequest& request = *running_[place];
    const std::uint32_t tokens = request.uncomputed_tokens();
    if (!within_budget(tokens)) return;
    while (!blocks_.take(request.table().blocks_needed(tokens))) {
      const LiveRequest& newest = *running_.back();
      running_.pop_back();
      blocks_.give_back(newest.table());
      plan_.preempt.push_back(newest.id());
      if (running_.size() == place) return;  // the request itself was the newest
    }
    compute_all_of(request);
  }

  void admit_waiting() {
    for (const LiveRequest* request : view_.waiting) {
      const std::uint32_t tokens = request->uncomputed_tokens();
      if (running_.size() >= view_.limits.max_running || !within_budget(tokens)) return;
      if (!blocks_.take(request->table().blocks_needed(tokens))) return;
      running_.push_back(request);
      plan_.admit.push_back(request->id());
      compute_all_of(*request);
    }
  }

  const SchedulerView& view_;
  std::vector<const LiveRequest*> running_;  ///< without the preempted ones
  PlannedBlocks blocks_;
  std::uint64_t planned_tokens_ = 0;
  StepPlan plan_;
};

}  // namespace

StepPlan FirstComeScheduler::plan(const SchedulerView& view) const { return Planner(view).run(); }

}  // namespace kvarium
