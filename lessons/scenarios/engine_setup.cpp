#include "lessons/scenarios/engine_setup.h"

#include "core/error.h"
#include "core/eviction/policies.h"
#include "core/faults/skipping_scheduler.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/scheduling/static_scheduler.h"
#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

InputError unknown(const char* what, const std::string& value) {
  return InputError(tr_format("there is no {} \"{}\"", what, printable(value)));
}

QueueOrder queue_order(const std::string& name) {
  if (name == "classic") return QueueOrder::classic;
  if (name == "2026") return QueueOrder::head_2026;
  throw unknown("queue order", name);
}

Preemption preemption(const std::string& name) {
  if (name == "recompute") return Preemption::recompute;
  if (name == "swap") return Preemption::swap;
  throw unknown("preemption", name);
}

std::unique_ptr<Scheduler> scheduler(const std::string& name) {
  if (name == "static") return std::make_unique<StaticScheduler>();
  ContinuousOptions options;
  if (name == "continuous") {
    options.order = WaitingOrder::first_come;
  } else if (name == "chunked") {
    options.chunked_prefill = true;
  } else if (name == "longest-prefix") {
    options.order = WaitingOrder::longest_prefix;
  } else if (name == "depth-first") {
    options.order = WaitingOrder::depth_first;
  } else if (name == "priority") {
    options.order = WaitingOrder::priority;
  } else {
    throw unknown("scheduler", name);
  }
  return std::make_unique<ContinuousScheduler>(options);
}

}  // namespace

EngineSetup make_setup(const ScenarioParams& params) {
  EngineConfig config;
  config.block_size = params.block_size;
  config.hand_out_order = hand_out_order(params);
  config.limits = {params.max_running, params.token_budget};
  config.preemption = preemption(params.preemption);
  config.speculation.length.most = params.draft_length;
  PrefixCacheConfig& cache = config.prefix_cache;
  cache.kind = find_prefix_caching(params.prefix_cache);
  cache.hash.order = queue_order(params.queue_order);
  // Without a policy the free queue itself is the LRU list, as in vLLM.
  const NamedPolicy& policy = find_eviction_policy(params.eviction);
  if (policy.name != "lru") cache.hash.policy = &policy;
  config.fault = find_fault(params.fault);
  if (config.fault == Fault::queue_changed_in_a_loop) return {std::move(config), std::make_unique<SkippingScheduler>()};
  return {std::move(config), scheduler(params.scheduler)};
}

std::vector<BlockId> hand_out_order(const ScenarioParams& params) {
  constexpr std::uint32_t kOrder[] = {7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11};
  if (params.num_blocks != 16 || params.seed != 7) return scrambled_order(params.num_blocks, params.seed);
  std::vector<BlockId> order;
  for (const std::uint32_t block : kOrder) order.push_back(BlockId{block});
  return order;
}

}  // namespace kvarium
