#include "lessons/scenarios/paging.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  serve(choice, make_setup(params), {{request}}, sink, cancel);
}

}  // namespace

Scenario paging_scenario() {
  return {
      "S02",
      "paging-17",
      "Where do K and V lie?",
      "A prompt of 17 tokens takes blocks that lie anywhere in the pool, and a table says where. Watch the table grow "
      "when the last block is full.",
      {.prompt_tokens = 17, .new_tokens = 48, .block_size = 8, .num_blocks = 16},
      {number_field("prompt_tokens", "Prompt (tokens)", "How long the prompt is.", 1, 256),
       number_field("new_tokens", "New tokens", "How many tokens the request writes: one a step.", 1, 256),
       block_size_field(), num_blocks_field(), seed_field()},
      run,
      prompt_and_answer};
}

}  // namespace kvarium
