#include "lessons/scenarios/fewer_heads.h"

#include "core/cost/head_kind.h"
#include "core/cost/heads_report.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

constexpr std::uint64_t kTokens = 32768;  // of the published models' requests
constexpr ElementType kType = ElementType::bf16;

/// Sizes need no engine: they are said before it starts.
void say_the_sizes(EventSink& sink) {
  for (const ModelShape& shape : compared_models()) {
    const HeadsRow row = heads_row(shape, kTokens, kType);
    sink.emit(
        Said{tr_format("{} ({}): {} for a token, {} for {} tokens, {:.1f} FLOP for each byte that attention reads.",
                       shape.name, head_kind_name(shape), binary_size(row.token_bytes), binary_size(row.context_bytes),
                       with_commas(kTokens), row.intensity),
             {}});
  }
  for (const Trap& trap : traps(kType)) {
    sink.emit(Said{tr_format("A size of {} that is wrong: {} = {}. It is {} = {}. {}", trap.model, trap.wrong_formula,
                             binary_size(trap.wrong), trap.right_formula, binary_size(trap.right), trap.why),
                   {}});
  }
}

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const ModelChoice choice = shipped_choice("tales-" + params.heads);
  say_the_sizes(sink);
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  serve(choice, make_setup(params), {{request}}, sink, cancel);
}

}  // namespace

std::string fewer_heads_text() { return heads_report(kTokens, kType); }

Scenario fewer_heads_scenario() {
  return {"S08",
          "heads",
          "Do all heads need their own K and V?",
          "Six query heads share two rows of K and V. Take a model that was trained with more, fewer, or a latent row, "
          "and watch the bytes that each step reads; the tab Heads sets the model that runs beside six published ones.",
          {.prompt_tokens = 24, .new_tokens = 12, .block_size = 4, .num_blocks = 16},
          {choice_field("heads", "Model", "Four models, trained alike but for their heads.", choices_of("heads")),
           number_field("prompt_tokens", "Prompt (tokens)", "How long the prompt is.", 1, 256),
           number_field("new_tokens", "New tokens", "How many tokens the request writes: one a step.", 1, 256),
           block_size_field(), num_blocks_field(), seed_field()},
          run,
          prompt_and_answer};
}

}  // namespace kvarium
