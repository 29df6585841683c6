#include "lessons/scenarios/own_prompt.h"

#include <utility>

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/proposer_setup.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const std::shared_ptr<const ModelChoice> opened =
      params.opened != nullptr
          ? params.opened
          : std::make_shared<const ModelChoice>(choose_model(params.model_path, params.tokenizer_path));
  const ModelChoice& choice = *opened;
  RequestSpec request;
  request.prompt = encode_prompt(choice, params.prompt, params.prompt_kind == "chat" && can_chat(choice));
  request.max_new_tokens = params.new_tokens;
  request.end_tokens = choice.tokenizer->end_tokens();
  request.sampling.temperature = params.temperature;
  request.candidates = params.candidates;
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < params.num_requests; ++i) {
    request.sampling.seed = params.seed + std::uint64_t{i} * params.candidates;  // every answer has its own
    arrivals.push_back({request});
  }
  EngineSetup setup = make_setup(params);
  const ProposerSetup guessing = speculate(params, choice, setup.config, {}, cancel);
  serve(choice, std::move(setup), arrivals, sink, cancel);
}

/// All that need not know the answer first.
std::vector<FieldChoice> proposers() {
  std::vector<FieldChoice> choices{{"none", "none: nothing is guessed"}};
  for (const FieldChoice& choice : choices_of("proposer")) {
    if (choice.value != "oracle") choices.push_back(choice);
  }
  return choices;
}

}  // namespace

Scenario own_prompt_scenario() {
  return {
      "own",
      "own-prompt",
      "Your own prompt",
      "Your text is gone on with by the small model of tales that comes with Kvarium, or by a model file of yours. "
      "Several requests with the same prompt share the pool and write different answers when the temperature is "
      "above 0.",
      {.prompt = "Once there was a little girl named Mia",
       .new_tokens = 48,
       .block_size = 8,
       .num_blocks = 32,
       .num_requests = 2,
       .max_running = 26,
       .temperature = 0.4F,
       .proposer = "none",
       .draft_length = 4},
      {{"prompt", "Prompt", "The text to go on from.", FieldKind::text},
       {"model_path", "Model file", "A .gguf file, a Hugging Face folder or a llama2.c .bin; empty: tales-target.",
        FieldKind::file},
       {"tokenizer_path", "Tokenizer file", "Only for a llama2.c model; empty: what stands beside it.",
        FieldKind::file},
       choice_field("prompt_kind", "The prompt is",
                    "Chat: it is written as the model's conversations were in its training. A model that had none "
                    "goes on from the text.",
                    choices_of("prompt_kind")),
       number_field("new_tokens", "New tokens", "How many tokens each request writes at most.", 1, 4096),
       block_size_field(),
       num_blocks_field(),
       number_field("num_requests", "Requests", "How many requests with this prompt arrive at once.", 1, 26),
       number_field("candidates", "Answers to each request",
                    "Answers that share the prompt's K and V; what they write differs.", 1, 26),
       temperature_field(),
       seed_field(),
       choice_field("proposer", "Proposer",
                    "Who guesses the next tokens. A small model and heads guess only for tales-target.", proposers()),
       draft_length_field(),
       prefix_cache_field(),
       queue_order_field(),
       eviction_field(),
       scheduler_field(),
       preemption_field(),
       max_running_field(),
       token_budget_field()},
      run};
}

}  // namespace kvarium
