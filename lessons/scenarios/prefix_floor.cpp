#include "lessons/scenarios/prefix_floor.h"

#include "core/error.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

/// The prompt of A, and that of B, which comes when A has ended: a beginning, then words of its own.
struct Part {
  std::uint32_t shared;    ///< tokens
  std::uint32_t own_of_a;  ///< behind them
  std::uint32_t own_of_b;
  std::uint32_t before = 0;  ///< tokens before the shared ones, others in A than in B
};

Part part_of(const ScenarioParams& params) {
  if (params.part == "a") return {40, 20, 30};
  if (params.part == "b") return {240, 20, 30};
  if (params.part == "c") return {32, 0, 0};
  if (params.part == "d") return {16, 8, 8, 16};
  throw MisuseError("S04 has no part " + params.part);
}

std::vector<TokenId> prompt(const cpu::Tokenizer& tokenizer, const Part& part, std::uint32_t own, std::uint32_t which) {
  std::vector<TokenId> tokens = other_tokens(tokenizer, which, part.before);
  const std::vector<TokenId> shared = story_tokens(tokenizer, part.shared);
  const std::vector<TokenId> last = other_tokens(tokenizer, which, own);
  tokens.insert(tokens.end(), shared.begin(), shared.end());
  tokens.insert(tokens.end(), last.begin(), last.end());
  return tokens;
}

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice(kDefaultModel);
  const Part part = part_of(params);
  RequestSpec a, b;
  a.prompt = prompt(*choice.tokenizer, part, part.own_of_a, 1);
  b.prompt = prompt(*choice.tokenizer, part, part.own_of_b, 2);
  a.max_new_tokens = b.max_new_tokens = params.new_tokens;
  serve(choice, make_setup(params), {{a}, {b, std::nullopt}}, sink, cancel);
}

std::uint64_t longest(const ScenarioParams& params) {
  const Part part = part_of(params);
  return std::uint64_t{part.before} + part.shared + part.own_of_b + params.new_tokens;
}

}  // namespace

Scenario prefix_floor_scenario() {
  return {
      "S04",
      "prefix-floor",
      "What is found again?",
      "A comes, ends, and leaves its full blocks in the prefix cache; then B comes with the same beginning. Compare "
      "what "
      "they share with what B really finds: whole blocks only, never the last token, and nothing behind a difference.",
      {.new_tokens = 4, .block_size = 16, .num_blocks = 64, .prefix_cache = "hash"},
      {choice_field("part", "Prompts", "What A and B have in common.",
                    {{"a", "a: 40 tokens of 60 and 70"},
                     {"b", "b: 240 of 260 and 270"},
                     {"c", "c: all 32 tokens"},
                     {"d", "d: second 16, not first"}}),
       block_size_field(), prefix_cache_field(), queue_order_field(), eviction_field(), num_blocks_field(),
       number_field("new_tokens", "New tokens", "How many tokens each request writes.", 1, 64), seed_field()},
      run,
      longest};
}

}  // namespace kvarium
