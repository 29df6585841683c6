#include "lessons/scenarios/speculation.h"

#include <utility>

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/proposer_setup.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  request.sampling.temperature = params.temperature;
  request.sampling.seed = params.seed;
  EngineSetup setup = make_setup(params);
  const ProposerSetup guessing = speculate(params, choice, setup.config, {request}, cancel);
  serve(choice, std::move(setup), {{request}}, sink, cancel);
}

}  // namespace

Scenario speculation_scenario() {
  return {
      "S06",
      "spec-rollback",
      "Guess, check, take back",
      "A few tokens are guessed ahead and judged by one pass of the model. Watch the cache: wrong guesses go, and a "
      "block that was taken only for them returns.",
      {.prompt_tokens = 10, .new_tokens = 24, .block_size = 4, .num_blocks = 16},
      {choice_field("proposer", "Proposer", "Who guesses the next tokens.", choices_of("proposer")),
       draft_length_field(),
       number_field("accepted", "Right guesses", "How many guesses of each round the oracle gets right.", 0, 8),
       number_field("prompt_tokens", "Prompt (tokens)", "How long the prompt is.", 1, 256),
       number_field("new_tokens", "New tokens", "How many tokens the answer has.", 1, 128), block_size_field(),
       num_blocks_field(), prefix_cache_field(), temperature_field(), seed_field()},
      run,
      prompt_and_answer};
}

}  // namespace kvarium
