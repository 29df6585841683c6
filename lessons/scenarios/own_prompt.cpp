#include "lessons/scenarios/own_prompt.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {

void run_own_prompt(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = choose_model(params.model_path, params.tokenizer_path);
  RequestSpec request;
  request.prompt = choice.tokenizer->encode(params.prompt);
  request.max_new_tokens = params.new_tokens;
  request.end_tokens = {cpu::kBeginOfSequence, cpu::kEndOfSequence};
  request.sampling.temperature = params.temperature;
  std::vector<RequestSpec> requests;
  for (std::uint32_t i = 0; i < params.num_requests; ++i) {
    request.sampling.seed = params.seed + i;
    requests.push_back(request);
  }
  serve(choice, params.block_size, scrambled_order(params.num_blocks, params.seed), requests, sink, cancel);
}

}  // namespace kvarium
