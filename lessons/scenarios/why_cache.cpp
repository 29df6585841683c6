#include "lessons/scenarios/why_cache.h"

#include <memory>

#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/direct_request.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {
namespace {

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  constexpr RequestId kForgetful{0};  // A
  constexpr RequestId kKeeper{1};     // B
  const ModelChoice choice = shipped_choice("tales-one");
  const ModelShape& shape = choice.model->config.shape;
  const cpu::Transformer transformer(*choice.model);

  sink.emit(ModelDescribed{shape});
  BlockPool pool(params.block_size, scrambled_order(params.num_blocks, params.seed), sink);
  cpu::PagedKvStore store(shape, params.num_blocks, params.block_size);
  TokenNames names(*choice.tokenizer, sink);
  RequestSpec spec;
  spec.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  spec.max_new_tokens = params.new_tokens;
  DirectRequest a(kForgetful, spec, shape.context, *choice.tokenizer, names, sink);
  DirectRequest b(kKeeper, spec, shape.context, *choice.tokenizer, names, sink);
  const std::unique_ptr<KvKeeping> nothing = keep_nothing(transformer, kForgetful, sink);
  const std::unique_ptr<KvKeeping> blocks = keep_in_blocks(transformer, pool, store, kKeeper, sink);
  a.arrive();
  b.arrive();

  for (std::uint64_t step = 1; !b.ended() && !cancel.cancelled(); ++step) {
    sink.emit(StepStarted{step});
    a.step(*nothing);
    b.step(*blocks);
  }
  if (!a.ended()) a.abort(*nothing);
  if (!b.ended()) b.abort(*blocks);
}

}  // namespace

Scenario why_cache_scenario() {
  return {
      "S01",
      "why-cache",
      "Why keep K and V?",
      "Two requests have the same prompt: A computes K and V of all tokens again at each step, B keeps them. Compare "
      "how much each computes, and look at what B reads in its last step.",
      {.prompt_tokens = 8, .new_tokens = 8, .block_size = 4, .num_blocks = 8, .num_requests = 2},
      {number_field("prompt_tokens", "Prompt (tokens)", "How long the prompt of both requests is.", 1, 64),
       number_field("new_tokens", "New tokens", "How many tokens each request writes.", 1, 64), block_size_field(),
       num_blocks_field(), seed_field()},
      run,
      prompt_and_answer};
}

}  // namespace kvarium
