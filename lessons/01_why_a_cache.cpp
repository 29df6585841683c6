// Lesson 01: why a language model keeps K and V. Two requests, one prompt: A computes everything again at each step,
// B keeps what it computed. Runs on scenario S01; the chapter is docs/lessons/01_why_a_cache.md.

#include "core/cost/hardware.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "lessons/kit/figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kForgetful{0};  // A
constexpr RequestId kKeeper{1};     // B

void explain_attention(LessonKit& kit) {
  kit.say(
      std::string(tr("A language model writes one piece of text at a time: a word, a part of a word, a comma. Such a "
                     "piece is called a token. To choose the next token, the model looks back at every token so "
                     "far. That look back is attention (Vaswani et al. 2017, section 3.2).")));
  kit.say(
      std::string(tr("For the look back, each token gets three rows of numbers. Its query says what it is looking "
                     "for. Its key says what others can find it by. Its value is what it hands over when it is "
                     "found. They are called Q, K and V.")));
  kit.show(
      std::string(tr("score of token i = q · k_i / √d           one dot product for each token so far\n"
                     "what is handed over = Σ softmax(score)_i × v_i")));
}

/// Two requests have the same prompt; the first step computes the whole prompt in both.
void prefill(LessonKit& kit, ScenarioRun& run) {
  run.to_step(0, kit);
  const RequestState& a = kit.world().request(kForgetful);
  kit.say(
      tr_format("Here are two requests, A and B. Both have the same prompt of {} tokens and the same small model with "
                "{} layer and {} head. So small a model writes poor tales, but it computes what every model "
                "computes. A throws K and V away after each step. B keeps them.",
                a.prompt_tokens, kit.world().model.layers, kit.world().model.query_heads),
      {point(kForgetful), point(kKeeper)});
  kit.show(tokens_figure(kit.world(), a) + '\n' + tokens_figure(kit.world(), kit.world().request(kKeeper)));
  kit.say(std::string(tr("The first step must look at the whole prompt, so both compute K and V of every prompt token. "
                         "This step is called prefill. It ends with one new token each.")),
          {point(kForgetful), point(kKeeper)});
  run.to_step(1, kit);
  kit.show(step_figure(kit.world()));
}

/// The second step is where they part.
void second_step(LessonKit& kit, ScenarioRun& run) {
  const World next = run.after_step(2);
  const auto computed = [&](RequestId id) { return std::to_string(next.request(id).new_count); };
  kit.ask(
      {.text = std::string(tr("Step 2 looks at the prompt and the one new token. A kept nothing. For how many tokens "
                              "must A compute K and V?")),
       .choices = {},
       .expected = "9",
       .answer = computed(kForgetful),
       .because =
           tr_format("All {} tokens of the prompt again, and the new one.", next.request(kForgetful).prompt_tokens)},
      {point(kForgetful)});
  kit.ask({.text = std::string(tr("And B, which kept K and V of the prompt?")),
           .choices = {},
           .expected = "1",
           .answer = computed(kKeeper),
           .because = std::string(tr("Only the new token. A step that computes one token and reads the rest is called "
                                     "decode."))},
          {point(kKeeper)});
  run.to_step(2, kit);
  kit.show(step_figure(kit.world()));
  kit.say(std::string(tr("Why may B do that? A token only looks back, never ahead, so K and V of an old token do not "
                         "change when new ones follow: A computes the same numbers again each time. The old query is "
                         "not kept, because only its own step needed it. What is kept is the KV cache.")),
          {point(kKeeper)});
}

/// To the end, and what both wrote.
void same_answer_beat(LessonKit& kit, ScenarioRun& run) {
  const World end = run.after_step(run.last_step());
  const bool same = end.request(kForgetful).tokens == end.request(kKeeper).tokens;
  kit.ask({.text = tr_format("They go on until each has written {} tokens. Will A and B write the same?",
                             end.request(kKeeper).max_new_tokens),
           .choices = {std::string(tr("yes")), std::string(tr("no"))},
           .expected = std::string(tr("yes")),
           .answer = std::string(same ? tr("yes") : tr("no")),
           .because = std::string(tr("A cache changes the work, never the answer."))},
          {point(kForgetful), point(kKeeper)});
  run.to_step(run.last_step(), kit);
  kit.show(tokens_figure(kit.world(), kit.world().request(kForgetful)) + '\n' +
           tokens_figure(kit.world(), kit.world().request(kKeeper)));
}

std::vector<World> every_step(const ScenarioRun& run) {
  std::vector<World> worlds;
  for (std::uint64_t step = 1; step <= run.last_step(); ++step) worlds.push_back(run.after_step(step));
  return worlds;
}

/// The sums of K and V computations and of dot products.
void count_the_work(LessonKit& kit, const ScenarioRun& run) {
  const Work a = kit.world().request(kForgetful).work;
  const Work b = kit.world().request(kKeeper).work;
  const std::uint32_t prompt = kit.world().request(kForgetful).prompt_tokens;
  kit.expect("K and V computations of B", 15, b.kv_projections);
  kit.expect("dot products of A", 596, a.score_products);
  kit.expect("dot products of B", 120, b.score_products);
  kit.ask({.text = tr_format(
               "A computed K and V of {} tokens in step 1, of {} in step 2, and of one more in each step up to "
               "step {}. How many is that together?",
               prompt, prompt + 1, run.last_step()),
           .choices = {},
           .expected = "92",
           .answer = std::to_string(a.kv_projections),
           .because = tr_format("B computed {}: {:.2f} times fewer.", b.kv_projections,
                                static_cast<double>(a.kv_projections) / static_cast<double>(b.kv_projections))},
          {point(kForgetful)});
  kit.show(history_figure(every_step(run)));
  std::uint64_t squares = 0;
  for (std::uint64_t step = 0; step < run.last_step(); ++step) squares += (prompt + step) * (prompt + step);
  kit.say(tr_format(
              "The dot products of queries and keys fell too: from {} to {}, {:.2f} times. Popular texts count n × n "
              "of them for a step without a cache, which would make {} here; the engine counted {}, because a token "
              "has no score with those that come after it.",
              a.score_products, b.score_products,
              static_cast<double>(a.score_products) / static_cast<double>(b.score_products), squares, a.score_products),
          {point(kForgetful), point(kKeeper)});
}

/// What the cache costs: it is read whole at each step, and it takes memory.
void the_price(LessonKit& kit) {
  const RequestState& b = kit.world().request(kKeeper);
  kit.ask(
      {.text = std::string(tr("B computed one token in its last step. How many keys did that token's query read?")),
       .choices = {"1", "8", "15"},
       .expected = "15",
       .answer = std::to_string(b.read_count),
       .because = std::string(tr("Every key so far. A cache does not make a step free: the step still grows with the "
                                 "text, and it must read the whole cache."))},
      {point(kKeeper)});
}

/// From the toy to a real model, with the popular figure that is wrong by a thousand.
void real_sizes(LessonKit& kit) {
  constexpr std::uint64_t kTokens = 4096;
  const ModelShape& shape = find_model_shape("llama-2-7b");
  const std::uint64_t cache = kv_bytes(shape, kTokens, ElementType::fp16);
  const auto bytes = static_cast<double>(cache);
  kit.say(
      tr_format("So the price of the cache is memory and reading. A real model makes it large: {} keeps {} for one "
                "request of {} tokens. Reading that once takes {} from the memory of a GPU ({} GB/s) and {} from a "
                "store behind a network of {} GB/s. A popular guide says 27 minutes for that network: a factor of 1000 "
                "too much, and {} a token is still far too slow.",
                shape.name, binary_size(cache), with_commas(kTokens), duration(transfer_time(bytes, kH100Hbm)),
                kH100Hbm.bytes_per_second / kGB, duration(transfer_time(bytes, kNetworkStore)),
                kNetworkStore.bytes_per_second / kGB, duration(transfer_time(bytes, kNetworkStore))));
}

}  // namespace

void why_a_cache(LessonKit& kit) {
  kit.title(std::string(tr("01 Why a cache?")));
  explain_attention(kit);
  const Scenario& scenario = find_scenario("S01");
  ScenarioRun run(scenario, scenario.defaults);
  prefill(kit, run);
  second_step(kit, run);
  same_answer_beat(kit, run);
  count_the_work(kit, run);
  the_price(kit);
  real_sizes(kit);
  run.to_end(kit);
  kit.say(std::string(
      tr("To remember: K and V of a token never change, so they are computed once and kept. Q is used once. "
         "The answer is the same; the work is far less; the price is memory that grows by one token a "
         "step. Where to put that memory is lesson 04.")));
}

}  // namespace kvarium
