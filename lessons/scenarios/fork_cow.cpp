#include "lessons/scenarios/fork_cow.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

/// One request that forks when its prompt is computed.
std::vector<Arrival> forking(RequestSpec request, const ScenarioParams& params) {
  request.candidates = params.candidates;
  return {{request}};
}

/// Separate requests with the same seeds. The others arrive when the first has computed the prompt, and find its full
/// blocks; the partial block is nobody's but one's own, so each computes it again and nothing is ever copied.
std::vector<Arrival> separate(RequestSpec request, const ScenarioParams& params) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < params.candidates; ++i) {
    arrivals.push_back({request, i == 0 ? 0 : 1});
    ++request.sampling.seed;
  }
  return arrivals;
}

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  const bool fork = params.sharing == "fork";
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  request.sampling.temperature = params.temperature;
  request.sampling.seed = params.seed;
  ScenarioParams engine = params;
  if (!fork) engine.prefix_cache = "hash";
  serve(choice, make_setup(engine), fork ? forking(request, params) : separate(request, params), sink, cancel);
}

}  // namespace

Scenario fork_cow_scenario() {
  return {
      "S03",
      "fork-cow",
      "Three answers, one prompt",
      "Three answers share the blocks of their prompt. Watch the last, partly filled block: whoever writes into it "
      "takes a copy, except the one who is left with it.",
      {.prompt_tokens = 20, .new_tokens = 7, .block_size = 8, .num_blocks = 16, .candidates = 3, .temperature = 1.0F},
      {choice_field("sharing", "Sharing", "How several answers to one prompt are run.", choices_of("sharing")),
       number_field("candidates", "Answers", "How many answers to the prompt.", 1, 8),
       number_field("prompt_tokens", "Prompt (tokens)", "How long the prompt is.", 1, 256),
       number_field("new_tokens", "New tokens", "How many tokens each answer has.", 1, 128), block_size_field(),
       num_blocks_field(), temperature_field(), preemption_field(), seed_field()},
      run,
      prompt_and_answer};
}

}  // namespace kvarium
