#include "lessons/scenarios/paging.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

/// The pool of the picture: 16 blocks in the order that the guides use, so that the table begins with 7, 3, 12. Other
/// sizes and seeds are scrambled.
std::vector<BlockId> hand_out_order(const ScenarioParams& params) {
  constexpr std::uint32_t kOrder[] = {7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11};
  if (params.num_blocks != 16 || params.seed != 7) return scrambled_order(params.num_blocks, params.seed);
  std::vector<BlockId> order;
  for (const std::uint32_t block : kOrder) order.push_back(BlockId{block});
  return order;
}

}  // namespace

void run_paging(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = builtin_choice({});
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  serve(choice, params.block_size, hand_out_order(params), {request}, sink, cancel);
}

}  // namespace kvarium
