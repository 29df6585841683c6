// Lesson 02: why the first token and the ones after it wait for different things. A request on scenario S02's engine,
// its work counted step by step, then a real model on a real processor. The chapter is
// docs/lessons/02_prefill_and_decode.md.

#include "core/cost/model_shapes.h"
#include "core/cost/parameters.h"
#include "core/cost/roofline_report.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};
constexpr std::uint64_t kPrompt = 4096;  // tokens, of the real model's request

RooflineSetup real_request(std::uint64_t batch) {
  return {find_model_shape("llama-3.1-8b"), batch, kPrompt, ElementType::bf16, ElementType::bf16};
}

std::uint64_t rounded(double number) { return static_cast<std::uint64_t>(number + 0.5); }

const HardwareProfile& processor() { return find_hardware("H100 SXM"); }

/// What one step did.
struct StepWork {
  std::uint32_t tokens = 0;
  std::uint64_t flops = 0, bytes = 0;

  double intensity() const { return static_cast<double>(flops) / static_cast<double>(bytes); }
};

StepWork work_of(const ScenarioRun& run, std::uint64_t step) {
  const World now = run.after_step(step), before = run.after_step(step - 1);
  const Work after = now.request(kA).work, start = step == 1 ? Work{} : before.request(kA).work;
  return {now.request(kA).new_count, after.flops - start.flops, after.bytes_read - start.bytes_read};
}

void two_phases(LessonKit& kit, ScenarioRun& run) {
  kit.say(
      std::string(tr("Whoever asks a model something waits twice: first for the answer to begin, then for each further "
                     "piece of it. The two waits have different reasons, and this lesson finds them.")));
  run.to_step(0, kit);
  const RequestState& a = kit.world().request(kA);
  kit.say(tr_format("Here is a request, A, with a prompt of {} tokens. It will write {}. The engine keeps K and V, as "
                    "lesson 01 taught.",
                    a.prompt_tokens, a.max_new_tokens),
          {point(kA)});
  kit.ask({.text = std::string(tr("For how many tokens does step 1 compute K and V?")),
           .choices = {},
           .expected = "17",
           .answer = std::to_string(work_of(run, 1).tokens),
           .because = std::string(tr("For the whole prompt at once. This step is called prefill."))},
          {point(kA)});
  run.to_step(1, kit);
  kit.ask({.text = std::string(tr("And step 2?")),
           .choices = {},
           .expected = "1",
           .answer = std::to_string(work_of(run, 2).tokens),
           .because = std::string(tr("For the token that step 1 wrote. This step, and every later one, is called "
                                     "decode: one token in, one token out."))},
          {point(kA)});
  run.to_step(10, kit);
}

/// One line a step: tokens, sums, bytes, and one divided by the other.
std::string work_figure(const ScenarioRun& run) {
  std::string figure =
      tr_format("{:>4}  {:>7}  {:>12}  {:>12}  {:>13}\n", "step", "tokens", "FLOP", "bytes read", "FLOP per byte");
  for (const std::uint64_t step : {1, 2, 3, 10}) {
    const StepWork work = work_of(run, step);
    figure += fmt::format("{:>4}  {:>7}  {:>12}  {:>12}  {:>13.2f}\n", step, work.tokens, with_commas(work.flops),
                          with_commas(work.bytes), work.intensity());
  }
  return figure;
}

void counted(LessonKit& kit, const ScenarioRun& run) {
  const StepWork prefill = work_of(run, 1), decode = work_of(run, 2);
  kit.say(std::string(
              tr("To compute anything, the model must fetch its weights from memory, all of them, at each step. Then "
                 "each number that was fetched is multiplied and added once for each token of the step. The engine "
                 "counts both: a multiplication or an addition is one FLOP.")),
          {point(kA)});
  kit.show(work_figure(run));
  kit.ask(
      {.text = std::string(tr("Which step does more arithmetic for each byte that it reads?")),
       .choices = {std::string(tr("prefill")), std::string(tr("decode"))},
       .expected = std::string(tr("prefill")),
       .answer = std::string(prefill.intensity() > decode.intensity() ? tr("prefill") : tr("decode")),
       .because = tr_format("Both read the weights once. Prefill uses them for {} tokens, decode for one: {:.2f} FLOP "
                            "a byte against {:.2f}.",
                            prefill.tokens, prefill.intensity(), decode.intensity())},
      {point(kA)});
  kit.say(
      std::string(tr("FLOP divided by bytes is called arithmetic intensity. It says how well a step uses what it "
                     "fetched.")));
}

void the_roof(LessonKit& kit) {
  const HardwareProfile& gpu = processor();
  kit.say(tr_format(
              "A processor has two speeds: how fast it computes, and how fast it fetches. For an {} the maker says {} "
              "and {}. Divided, that is {:.0f} FLOP for each byte. A step that does fewer waits for memory, and the "
              "arithmetic units stand idle; a step that does more waits for the arithmetic. Drawn as a line, this is "
              "the roofline (Williams et al. 2009).",
              gpu.name, in_steps(gpu.flops_per_second, "FLOP/s"), in_steps(gpu.memory.bytes_per_second, "B/s"),
              ridge_point(gpu)),
          {tab_point("roofline")});
  const double prefill = prefill_cost(real_request(1)).all().intensity();
  const double decode = decode_cost(real_request(1)).all().intensity();
  kit.expect("FLOP a byte of the prefill of 4,096 tokens", 3961, rounded(prefill));
  kit.expect("FLOP in 100 bytes of one token's decode", 110, rounded(100 * decode));
  kit.ask(
      {.text = tr_format("{} with a prompt of {} tokens does {} FLOP a byte in prefill. What does prefill wait for?",
                         real_request(1).shape.name, with_commas(kPrompt), with_commas(rounded(prefill))),
       .choices = {std::string(tr("memory")), std::string(tr("arithmetic"))},
       .expected = std::string(tr("arithmetic")),
       .answer = bound_in_words(bound_of(gpu, prefill)),
       .because = tr_format("{:.0f} is far above {:.0f}.", prefill, ridge_point(gpu))},
      {tab_point("roofline")});
  kit.ask({.text = tr_format("In decode it does {:.2f} FLOP a byte. What does decode wait for?", decode),
           .choices = {std::string(tr("memory")), std::string(tr("arithmetic"))},
           .expected = std::string(tr("memory")),
           .answer = bound_in_words(bound_of(gpu, decode)),
           .because = tr_format("At {:.2f} FLOP a byte the {} computes at best {}, which is {:.1f} % of what it could.",
                                decode, gpu.name, in_steps(attainable(gpu, decode), "FLOP/s"),
                                100 * attainable(gpu, decode) / gpu.flops_per_second)},
          {tab_point("roofline")});
}

void the_two_waits(LessonKit& kit) {
  const HardwareProfile& gpu = processor();
  const PassCost decode = decode_cost(real_request(1));
  const double first = seconds(gpu, prefill_cost(real_request(1)).all()), next = seconds(gpu, decode.all());
  kit.say(
      tr_format("The two waits have names. Time to first token (TTFT) is prefill, and whatever it had to queue for: {} "
                "here at least. Time per output token (TPOT) is one decode step: {} at least, {:.0f} tokens a second.",
                duration(first), duration(next), 1 / next),
      {tab_point("roofline")});
  kit.say(
      tr_format("Why {}? The step reads {} of weights and {} of K and V, and the {} moves {}. Nobody can decode faster "
                "on it without reading less. (The model has {} billion numbers more than it reads: the embedding, a "
                "table of which a token looks up one row.)",
                duration(next), in_steps(decode.weights.bytes, "B"), in_steps(decode.attention.bytes, "B"), gpu.name,
                in_steps(gpu.memory.bytes_per_second, "B/s"),
                three_digits(parameters_of(real_request(1).shape).embedding / 1e9)));
}

void the_batch(LessonKit& kit) {
  constexpr std::uint64_t kBatch = 64;
  const HardwareProfile& gpu = processor();
  const PassCost one = decode_cost(real_request(1)), many = decode_cost(real_request(kBatch));
  const double gain = static_cast<double>(kBatch) * seconds(gpu, one.all()) / seconds(gpu, many.all());
  kit.ask({.text = tr_format("Let {} requests take each step together, so that the weights are read once for all. Do "
                             "they get {} times as many tokens a second?",
                             kBatch, kBatch),
           .choices = {std::string(tr("yes")), std::string(tr("no"))},
           .expected = std::string(tr("no")),
           .answer = std::string(gain > static_cast<double>(kBatch) - 0.5 ? tr("yes") : tr("no")),
           .because = tr_format("{:.0f} times. The weights are shared, but each request has K and V of its own: {} "
                                "instead of {}.",
                                gain, in_steps(many.attention.bytes, "B"), in_steps(one.attention.bytes, "B"))},
          {tab_point("roofline")});
  kit.say(
      tr_format("The weights' part rises from {:.0f} to {:.0f} FLOP a byte. Attention stays at {:.0f} however large "
                "the batch is, because nobody shares what it reads. From here on the KV cache is what decode waits "
                "for: how many bytes it has is lesson 03, how to have fewer is lesson 10.",
                one.weights.intensity(), many.weights.intensity(), many.attention.intensity()));
}

}  // namespace

void prefill_and_decode(LessonKit& kit) {
  kit.title(std::string(tr("02 Prefill and decode")));
  const Scenario& scenario = find_scenario("S02");
  ScenarioRun run(scenario, scenario.defaults);
  two_phases(kit, run);
  counted(kit, run);
  the_roof(kit);
  the_two_waits(kit);
  the_batch(kit);
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: prefill computes many tokens with each weight that it fetches and waits for arithmetic; it is the "
      "wait for the first token. Decode computes one and waits for memory; it is the wait for each further one. A "
      "batch shares the weights and not the cache.")));
}

}  // namespace kvarium
