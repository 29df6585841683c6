#include "lessons/scenarios/batch_preempt.h"

#include <algorithm>

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

struct Ask {
  std::uint32_t prompt_tokens, new_tokens;
  std::uint64_t after_step;
  std::int32_t priority;  ///< for the scheduler that looks at it
};
constexpr Ask kAsks[] = {{9, 12, 0, 0}, {6, 10, 0, 0}, {5, 8, 1, 0}, {12, 4, 3, 1}};

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  std::vector<Arrival> arrivals;
  for (const Ask& ask : kAsks) {
    RequestSpec request;
    request.prompt = other_tokens(*choice.tokenizer, static_cast<std::uint32_t>(arrivals.size()), ask.prompt_tokens);
    request.max_new_tokens = ask.new_tokens;
    request.priority = ask.priority;
    arrivals.push_back({request, ask.after_step});
  }
  serve(choice, make_setup(params), arrivals, sink, cancel);
}

std::uint64_t longest(const ScenarioParams&) { return kAsks[0].prompt_tokens + kAsks[0].new_tokens; }

}  // namespace

Scenario batch_preempt_scenario() {
  return {"S07",
          "batch-preempt",
          "When the pool is full",
          "Four requests share 12 blocks, which are too few. In step 5 two need a block and one is free, and D, which "
          "came last, gives its blocks back and waits. Watch when it returns, and what it must compute again.",
          {.block_size = 4, .num_blocks = 12, .max_running = 4, .token_budget = 16, .scheduler = "chunked"},
          {scheduler_field(), preemption_field(), prefix_cache_field(), queue_order_field(), eviction_field(),
           token_budget_field(), max_running_field(), block_size_field(), num_blocks_field(), seed_field()},
          run,
          longest};
}

}  // namespace kvarium
