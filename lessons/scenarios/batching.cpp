#include "lessons/scenarios/batching.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

// The usual picture draws A's end in step 4, while its list of batches has D in A's place in step 4 already. The list
// is what we follow: a request that writes n tokens is in the batch of n steps, its last token is the end, and whoever
// waits has its place in the next step.
constexpr std::uint32_t kAnswers[] = {3, 7, 5, 5, 3};  // tokens of A to E

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  std::vector<Arrival> arrivals;
  for (const std::uint32_t answer : kAnswers) {
    RequestSpec request;
    request.prompt = other_tokens(*choice.tokenizer, static_cast<std::uint32_t>(arrivals.size()), params.prompt_tokens);
    request.max_new_tokens = answer;
    arrivals.push_back({request});
  }
  serve(choice, make_setup(params), arrivals, sink, cancel);
}

std::uint64_t longest(const ScenarioParams& params) { return std::uint64_t{params.prompt_tokens} + kAnswers[1]; }

}  // namespace

Scenario batching_scenario() {
  return {
      "B1",
      "batching",
      "Who runs, who waits?",
      "Five requests and three places. With the continuous scheduler D takes A's place as soon as A is done; with the "
      "static one D and E wait until B, the longest, is done. Compare the rows of the time line.",
      {.prompt_tokens = 4, .block_size = 4, .num_blocks = 16, .max_running = 3},
      {scheduler_field(), max_running_field(), token_budget_field(),
       number_field("prompt_tokens", "Prompt (tokens)", "How long each prompt is.", 1, 64), block_size_field(),
       num_blocks_field(), preemption_field(), seed_field()},
      run,
      longest};
}

}  // namespace kvarium
