#include "lessons/scenarios/paged_kernel.h"

#include "core/words/words.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "cuda/demos/decode_passes.h"
#include "cuda/demos/stepped_text.h"
#include "lessons/kit/points.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

using cuda::demos::DecodePass;
using cuda::demos::StepSize;

unsigned lanes_of(const ScenarioParams& params) { return static_cast<unsigned>(std::stoul(params.part)); }

template <typename Number>
std::string joined(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  return text;
}

/// The kernel's passes need no engine: they are said before it starts.
void say_the_passes(const ScenarioParams& params, EventSink& sink) {
  const cuda::demos::DemoPlace place = paged_kernel_demo(params);
  const auto say = [&](std::string words, std::size_t steps) {
    sink.emit(Said{std::move(words), {tab_point("kernel"), cuda::demos::step_point({place, StepSize::stop, steps})}});
  };
  const cuda::demos::DecodeWalk walk = cuda::demos::walk_eleven_keys(lanes_of(params));
  say(tr_format("One query looks at 11 keys. A warp of {} lanes takes a key a lane; the block table says where.",
                params.part),
      0);
  for (std::size_t i = 0; i < walk.passes.size(); ++i) {
    const DecodePass& pass = walk.passes[i];
    say(tr_format("Pass {}: lanes {} read slots {} and find the scores {}. Then max = {}, sum = {:.4f}, out = {:.4f}"
                  "; what was there before was multiplied by {:.4f}.",
                  i + 1, cuda::demos::lanes_words(pass.lanes), joined(pass.slots), joined(pass.scores), pass.m, pass.l,
                  pass.acc, pass.alpha),
        pass.steps);
  }
  say(tr_format("The result is out / sum = {:.6f}.", walk.out), walk.steps);
}

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  say_the_passes(params, sink);
  const ModelChoice choice = shipped_choice(kDefaultModel);
  RequestSpec request;
  request.prompt = story_tokens(*choice.tokenizer, params.prompt_tokens);
  request.max_new_tokens = params.new_tokens;
  serve(choice, make_setup(params), {{request}}, sink, cancel);
}

}  // namespace

cuda::demos::DemoPlace paged_kernel_demo(const ScenarioParams& params) {
  return cuda::demos::eleven_keys_place(lanes_of(params));
}

std::string paged_kernel_text(const ScenarioParams& params) {
  cuda::demos::SteppedKernel kernel(paged_kernel_demo(params));
  kernel.forward(StepSize::end);
  return cuda::demos::kernel_text(kernel, 0);
}

Scenario paged_kernel_scenario() {
  return {"S11",
          "kernel",
          "How does a GPU read blocks?",
          "The newest of 11 tokens looks at all of them. A warp finds their keys through the block table, one a lane, "
          "and keeps three numbers; the Kernel tab takes it apart step by step. Right and Left step, Up and Down "
          "choose a lane.",
          {.prompt_tokens = 10, .new_tokens = 2, .block_size = 4, .num_blocks = 16, .part = "8"},
          {choice_field("part", "Lanes of the warp", "How many keys a pass takes.",
                        {{"4", "4: a block a pass"}, {"8", "8: two passes"}, {"32", "32: a whole warp, one pass"}})},
          run,
          prompt_and_answer};
}

}  // namespace kvarium
