#include "lessons/scenarios/radix.h"

#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

/// Each word is one token of tales-target. In numbers: 1 to 8; 1 to 5, 9 to 11; 1 to 3, 12, 13; 1 to 8, 14;
/// 20 to 23.
constexpr const char* kPrompts[] = {"The little girl saw a big red ball", "The little girl saw a box in the",
                                    "The little girl was sad", "The little girl saw a big red ball and",
                                    "One day my friend"};
constexpr std::uint64_t kLongestPrompt = 9;

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  std::vector<Arrival> arrivals;
  for (const char* prompt : kPrompts) {
    RequestSpec request;
    request.prompt = choice.tokenizer->encode(prompt);
    request.prompt.erase(request.prompt.begin());  // "<|begin|>", which every prompt would share
    request.max_new_tokens = params.new_tokens;
    arrivals.push_back({request, std::nullopt});
  }
  EngineSetup setup = make_setup(params);
  setup.config.hand_out_order = ascending_order(params.num_blocks);  // slot numbers that can be followed by eye
  serve(choice, std::move(setup), arrivals, sink, cancel);
}

std::uint64_t longest(const ScenarioParams& params) { return kLongestPrompt + params.new_tokens; }

}  // namespace

Scenario radix_scenario() {
  return {
      "S05",
      "radix",
      "A tree of prompts",
      "Five prompts come one after the other. The tree keeps each beginning once, splits where prompts part, and gives "
      "up the leaf that was used longest ago when the pool is full.",
      {.new_tokens = 1, .block_size = 1, .num_blocks = 16, .prefix_cache = "radix"},
      {prefix_cache_field(), queue_order_field(), eviction_field(), block_size_field(), num_blocks_field(),
       number_field("new_tokens", "New tokens", "How many tokens each request writes.", 1, 16)},
      run,
      longest};
}

}  // namespace kvarium
