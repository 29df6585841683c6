#pragma once
// The interface of a scheduler: who computes how many tokens in the next step.

#include <cstdint>
#include <span>
#include <string>

#include "core/blocks/block_pool.h"
#include "core/prefix/prefix_cache.h"
#include "core/scheduling/request.h"
#include "core/scheduling/step_plan.h"

namespace kvarium {

struct StepLimits {
  std::uint32_t max_running = 8;      ///< requests that may run side by side
  std::uint32_t token_budget = 2048;  ///< tokens that one step may compute, over all requests
};

/// What a scheduler may look at; it can change none of it.
struct SchedulerView {
  std::span<const LiveRequest* const> running;  ///< in the order of admission: the last one is the newest
  std::span<const LiveRequest* const> waiting;  ///< waiting or preempted, the head of the queue first
  const BlockPool& pool;
  const PrefixCache& cache;
  StepLimits limits;
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// The next step. It must compute something while any request is left: Engine::step() refuses a plan without chunks.
  virtual StepPlan plan(const SchedulerView& view) const = 0;
  /// What it does, in a few English words.
  virtual std::string name() const = 0;
  /// Is nobody admitted before all who came earlier are? An invariant watches over it.
  virtual bool serves_in_order() const { return false; }
};

}  // namespace kvarium
