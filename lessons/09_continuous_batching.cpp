// Lesson 09: who computes in each step. Static and continuous batches with five requests (scenario B1), then a pool
// that is too small (scenario S07). The chapter is docs/lessons/09_continuous_batching.md.

#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/kit/batch_figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0}, kD{3}, kE{4};
constexpr std::size_t kPlaces = 3;  // of scenario B1

std::vector<World> steps_of(const ScenarioRun& run) {
  std::vector<World> worlds;
  for (std::uint64_t step = 1; step <= run.last_step(); ++step) worlds.push_back(run.after_step(step));
  return worlds;
}

std::vector<World> steps_of(const char* id, const std::string& scheduler) {
  ScenarioParams params = find_scenario(id).defaults;
  params.scheduler = scheduler;
  return steps_of(ScenarioRun(find_scenario(id), params));
}

/// Places in which nobody computed.
std::size_t empty_places(const std::vector<World>& steps) {
  std::size_t empty = 0;
  for (const World& world : steps) empty += kPlaces - batch_of(world).size();
  return empty;
}

std::uint64_t first_step_of(const std::vector<World>& steps, RequestId id) {
  for (const World& world : steps) {
    if (batch_of(world).find(letter(id)) != std::string::npos) return world.step;
  }
  return 0;
}

void the_batch(LessonKit& kit) {
  kit.say(
      std::string(tr("To write one token the model reads all its weights from memory. For one request that is a great "
                     "deal of reading for very little computing. So a server lets several requests take each step "
                     "together: the weights are read once for all. That is a batch.")));
  kit.say(std::string(
      tr("Five requests wait. A writes 3 tokens, B 7, C 5, D 5 and E 3; nobody knows these numbers before. "
         "There are three places. The old way fills the batch, runs it to its end, and fills it again. That "
         "is static batching.")));
}

void static_batches(LessonKit& kit, const std::vector<World>& fixed) {
  kit.ask({.text = std::string(tr("A, B and C start in step 1. In which step can D start?")),
           .choices = {},
           .expected = "8",
           .answer = std::to_string(first_step_of(fixed, kD)),
           .because = std::string(tr("B, the longest, is done after step 7. Until then nobody may join."))});
  kit.show(batch_figure(fixed));
  kit.expect("empty places, static", 13, empty_places(fixed));
  kit.say(
      tr_format("A was done after step 3. Its place stayed empty for four steps, while D waited. All in all {} of "
                "{} places computed nothing.",
                empty_places(fixed), kPlaces * fixed.size()));
}

void continuous_batches(LessonKit& kit, const std::vector<World>& fixed, const std::vector<World>& fluid) {
  kit.ask({.text = std::string(tr("The new way looks again after every step: who is done leaves, who waits takes the "
                                  "place. In which step does D start now?")),
           .choices = {},
           .expected = "4",
           .answer = std::to_string(first_step_of(fluid, kD)),
           .because = std::string(tr("A left after step 3."))});
  kit.show(batch_figure(fluid));
  kit.ask(
      {.text = tr_format("The static way took {} steps. How many does the new one take?", fixed.size()),
       .choices = {},
       .expected = "8",
       .answer = std::to_string(fluid.size()),
       .because = tr_format("The work is the same. Places that stayed empty: {} of {} instead of {} of {}.",
                            empty_places(fluid), kPlaces * fluid.size(), empty_places(fixed), kPlaces * fixed.size())});
  kit.say(
      std::string(tr("This is continuous batching (Orca, Yu et al. 2022). Today's servers do it. Many pictures of "
                     "it draw the end of A in step 4, where D already has A's place; here the last token counts as "
                     "part of the answer, so A is in the batch of steps 1 to 3 and nowhere else.")));
  const std::vector<std::uint64_t> before = waiting_steps(fixed), now = waiting_steps(fluid);
  kit.expect("E waited, static", 7, before[index(kE)]);
  kit.expect("E waited, continuous", 5, now[index(kE)]);
  kit.show(waiting_figure(fluid));
  kit.say(
      tr_format("Is it fair? Waiting requests come in the order of their arrival, so nobody is overtaken. D waited {} "
                "steps instead of {}, E {} instead of {}.",
                now[index(kD)], before[index(kD)], now[index(kE)], before[index(kE)]));
}

void the_budget(LessonKit& kit, ScenarioRun& run) {
  run.to_step(1, kit);
  kit.say(std::string(
              tr("A prompt comes with all its tokens at once, and a long one makes the step long for everybody. So "
                 "each step has a budget of tokens. Running requests take one token each, first; waiting prompts get "
                 "what is left. Watch four requests with a budget of 16 tokens and 12 blocks of 4: A has 9 "
                 "tokens in its prompt, B 6.")),
          {point(kA)});
  kit.ask(
      {.text = std::string(tr("A and B compute their prompts in step 1: 15 tokens. How many blocks are still free?")),
       .choices = {},
       .expected = "7",
       .answer = std::to_string(kit.world().free_blocks.size()),
       .because = std::string(tr("A needs 3 blocks, B 2."))});
  run.to_step(4, kit);
  kit.expect("free blocks after step 4", 1, kit.world().free_blocks.size());
  kit.say(tr_format("C came after step 1 and D after step 3. After step 4 all four run, and {} block is free.",
                    kit.world().free_blocks.size()),
          {point(kD)});
}

void the_preemption(LessonKit& kit, ScenarioRun& run) {
  const World after = run.after_step(5);
  std::string victim;
  for (const auto& request : after.requests) {
    if (request->status == RequestStatus::preempted) victim += letter(request->id);
  }
  kit.ask({.text = std::string(tr("In step 5 A and D need a block each, and one is free. The plan gives it to A. Who "
                                  "must give way?")),
           .choices = {"A", "B", "C", "D"},
           .expected = "D",
           .answer = victim,
           .because = std::string(tr("The one that came last. The others are nearer to their end."))});
  const auto preempted = run.through<RequestPreempted>(kit);
  kit.expect("lost tokens", 12, preempted.lost_tokens);
  run.to_step(5, kit);
  kit.say(
      tr_format("D is preempted: it gives its 3 blocks back, the K and V of {} tokens are gone, and it waits at the "
                "head of the queue. Its tokens are not lost, only what was computed from them. {} blocks are free.",
                preempted.lost_tokens, kit.world().free_blocks.size()),
      {point(kD)});
}

void the_return(LessonKit& kit, ScenarioRun& run) {
  const std::vector<World> steps = steps_of(run);
  const std::uint64_t back = steps.back().request(kD).admitted_step;
  kit.ask(
      {.text = std::string(tr("D needs 4 blocks to come back: 12 tokens of its prompt and 1 that it wrote. In which "
                              "step does it return? C ends after step 9, B after step 10.")),
       .choices = {},
       .expected = "11",
       .answer = std::to_string(back),
       .because = std::string(tr("After step 9 three blocks are free at most, after step 10 enough."))});
  run.to_step(back, kit);
  kit.expect("tokens computed at the return", 13, kit.world().request(kD).new_count);
  kit.say(tr_format("In step {} D computes {} tokens at once, 12 of them for the second time.", back,
                    kit.world().request(kD).new_count),
          {point(kD)});
  kit.show(batch_figure(steps));
  const Scenario& scenario = find_scenario("S07");
  ScenarioParams params = scenario.defaults;
  params.preemption = "swap";
  const ScenarioRun swapped(scenario, params);
  const World returned = swapped.after_step(swapped.after_step(swapped.last_step()).request(kD).admitted_step);
  kit.expect("tokens computed after a swap", 1, returned.request(kD).new_count);
  kit.say(
      tr_format("The other way is to swap: copy D's K and V to the memory of the host and back. Then D computes {} "
                "token when it returns. Which one is quicker depends on the length of the text and on the wire.",
                returned.request(kD).new_count));
}

void the_end(LessonKit& kit, ScenarioRun& run) {
  const std::vector<World> steps = steps_of(run);
  run.to_end(kit);
  kit.expect("steps", 13, steps.size());
  kit.expect("D waited", 6, waiting_steps(steps)[index(kD)]);
  kit.show(waiting_figure(steps));
  kit.say(tr_format("After {} steps all are done. D paid for the small pool: it waited {} steps, the others none.",
                    steps.size(), waiting_steps(steps)[index(kD)]));
  kit.say(std::string(
      tr("To remember: a batch shares the reading of the weights; after every step who is done leaves and who waits "
         "joins; a budget keeps long prompts from holding up the others; when blocks run out, the newest request gives "
         "its own back and computes them again later.")));
}

}  // namespace

void continuous_batching(LessonKit& kit) {
  kit.title(std::string(tr("09 Continuous batching")));
  the_batch(kit);
  const std::vector<World> fixed = steps_of("B1", "static"), fluid = steps_of("B1", "continuous");
  static_batches(kit, fixed);
  continuous_batches(kit, fixed, fluid);
  const Scenario& scenario = find_scenario("S07");
  ScenarioRun run(scenario, scenario.defaults);
  the_budget(kit, run);
  the_preemption(kit, run);
  the_return(kit, run);
  the_end(kit, run);
}

}  // namespace kvarium
