// Lesson 15: one warp of a GPU reads a paged cache. The kernel of the decode step, run by the emulator on eleven keys
// (scenario S11), pass by pass. The chapter is docs/lessons/15_paged_attention_kernel.md.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/words/words.h"
#include "cpu_reference/operators/online_softmax.h"
#include "cuda/demos/attention_decode_demo.h"
#include "cuda/demos/decode_passes.h"
#include "cuda/demos/stepped_text.h"
#include "lessons/kit/figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

using cuda::demos::DecodePass;
using cuda::demos::DecodeWalk;
using cuda::demos::SteppedKernel;
using cuda::demos::StepSize;

constexpr RequestId kA{0};
constexpr unsigned kLanes = 8;

/// The Kernel tab comes to the front, and to this many stops from the start.
std::vector<std::string> points_to(std::size_t steps, unsigned lanes = kLanes) {
  const cuda::demos::DemoPlace place = cuda::demos::eleven_keys_place(lanes);
  return {tab_point("kernel"), cuda::demos::step_point({place, StepSize::stop, steps})};
}

SteppedKernel after_stops(std::size_t steps, unsigned lanes = kLanes) {
  SteppedKernel kernel(cuda::demos::eleven_keys_place(lanes));
  while (kernel.num_steps() < steps && kernel.forward(StepSize::stop)) {
  }
  return kernel;
}

const cuda::emulator::LineCount& key_reads(const SteppedKernel& kernel) {
  const auto& lines = kernel.log().lines();
  return *std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.region == "keys"; });
}

void the_table(LessonKit& kit, ScenarioRun& run) {
  kit.say(std::string(
      tr("A model that writes its next token looks at all tokens before it (lesson 02). Their keys and values lie in "
         "blocks, anywhere in the pool, and a table says where (lesson 04). This lesson follows one warp of a GPU "
         "through that table: 32 threads, called lanes, that run the same program side by side.")));
  run.to_step(6, kit);
  const RequestState& a = kit.world().request(kA);
  kit.show(table_figure(kit.world(), a));
  kit.say(
      tr_format("Here is request A when its newest token reads {} tokens. The kernel below has the same table, with "
                "scores and values that are easy to follow: heads of one number, so that a key is its score.",
                a.read_count),
      {point(kA, 0), point(kA, 1), point(kA, 2)});
  kit.expect("blocks of the table that the engine made", cuda::demos::eleven_table().size(), a.table.size());
  for (std::size_t i = 0; i < a.table.size(); ++i) {
    kit.expect(fmt::format("entry {} of the block table", i), cuda::demos::eleven_table()[i], value(a.table[i]));
  }
  const SteppedKernel start = after_stops(0);
  kit.ask(
      {.text = tr_format("The table is 7, 3, 12 and a block holds {} tokens. In which slot of the pool lies the key "
                         "of token 9?",
                         cuda::demos::kElevenBlockSize),
       .choices = {},
       .expected = "49",
       .answer = std::to_string(start.instance().paged->slots[9]),
       .because = std::string(tr("9 / 4 = 2, so entry 2 of the table: block 12. 12 × 4 + 9 % 4 = 49. Every lane of "
                                 "the kernel does this sum for its own token."))},
      points_to(0));
}

void the_gather(LessonKit& kit) {
  const SteppedKernel found = after_stops(1), read = after_stops(2);
  kit.say(
      std::string(tr("The kernel gives each query head a warp, and each lane a key. To follow it, the warp has 8 "
                     "lanes here instead of 32. First every lane reads its entry of the table and finds its slot.")),
      points_to(1));
  kit.show(cuda::demos::lanes_text(found, 0));
  kit.say(
      std::string(tr("Then it reads its key and multiplies it with the query: the score. Eight of the eleven tokens "
                     "are read in this first pass.")),
      points_to(2));
  kit.show(cuda::demos::gather_text(read));
  kit.show(cuda::demos::requests_text(read));
  const cuda::emulator::Request& keys = *cuda::demos::newest_request(read.log(), cuda::emulator::Space::global);
  kit.ask({.text = std::string(
               tr("The memory of a GPU answers in sectors of 32 bytes. Eight keys of 4 bytes are 32 bytes. How many "
                  "sectors come for these eight?")),
           .choices = {"1", "2", "8"},
           .expected = "2",
           .answer = std::to_string(cuda::emulator::sectors(keys)),
           .because = std::string(
               tr("The two blocks lie apart, 16 bytes in each. Inside of a block neighbours lie side by side and share "
                  "sectors. With real heads a key alone fills several sectors, and the blocks cost nothing."))},
          points_to(2));
}

void the_first_pass(LessonKit& kit, const DecodePass& pass) {
  SteppedKernel kernel = after_stops(2);
  std::size_t meetings = 0;
  while (kernel.threads().waiting().find("weights") == std::string::npos && kernel.forward(StepSize::warp)) ++meetings;
  kit.say(std::string(
      tr("Now the lanes must agree on the highest score. They have no common variable: in a shuffle each hands its "
         "register to another lane. With the lane 4 away, then 2, then 1, and all eight have the highest of all; three "
         "more add up the weights exp(score - highest).")));
  kit.ask({.text = std::string(tr("How often do 8 lanes meet in shuffles, for the highest score and the sum?")),
           .choices = {"2", "6", "16"},
           .expected = "6",
           .answer = std::to_string(meetings - 1),  // the last step goes from the last meeting to the stop
           .because = std::string(
               tr("Halving 8 three times, twice. A shuffle names in its mask the lanes that must come, here 0 to 7: "
                  "whoever comes first waits. Step by lane in the Kernel tab to see them wait."))},
          points_to(3));
  kit.say(tr_format("With the weights the lanes change their roles: each takes some of the numbers of a head, and the "
                    "values of all eight keys are added in turn. After the pass: max = {}, sum = {:.4f}, out = {:.4f} "
                    "(in the kernel m, l and acc). Nothing is divided yet.",
                    pass.m, pass.l, pass.acc),
          points_to(pass.steps));
  kit.show(cuda::demos::lanes_text(after_stops(pass.steps), 0));
}

void the_second_pass(LessonKit& kit, const DecodeWalk& walk) {
  const DecodePass& pass = walk.passes[1];
  kit.say(tr_format("Three keys are left. Lanes {} take them, the others have nothing to do and a score of -inf, whose "
                    "weight is 0; but they stay, because the shuffles wait for them.",
                    cuda::demos::lanes_words(pass.lanes)),
          points_to(pass.steps - 3));
  const SteppedKernel kernel = after_stops(pass.steps);
  const auto busy = cuda::demos::busy_lanes(kernel, cuda::demos::requests_of(kernel.log(), key_reads(kernel)));
  kit.ask({.text = std::string(tr("Two passes of 8 lanes are 16 places. How many of them read a key?")),
           .choices = {},
           .expected = "11",
           .answer = std::to_string(busy.busy),
           .because = tr_format("{} busy. A whole warp would take all eleven at once, and {} of its 32 lanes would "
                                "rest: short sequences leave a GPU idle.",
                                cuda::demos::busy_words(busy), 32 - busy.busy)},
          points_to(pass.steps - 2));
  kit.ask(
      {.text = std::string(tr("The highest score was 5, and the second pass finds a 6. With what are sum and out of "
                              "before multiplied?")),
       .choices = {"0.1353", "0.3679", "1"},
       .expected = "0.3679",
       .answer = fmt::format("{:.4f}", pass.alpha),
       .because = std::string(tr("exp(5 - 6): the online softmax of lesson 14, a state for each query head."))},
      points_to(pass.steps - 1));
  kit.say(tr_format("After the second pass: max = {}, sum = {:.4f}, out = {:.4f}. The result is out / sum = {:.6f}.",
                    pass.m, pass.l, pass.acc, walk.out),
          points_to(walk.steps));
}

/// The same by two passes over all scores, in double.
double two_passes() {
  const std::vector<float>& scores = cuda::demos::eleven_scores();
  const double highest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  double sum = 0, out = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double weight = std::exp(static_cast<double>(scores[j]) - highest);
    sum += weight;
    out += weight * static_cast<double>(j + 1);
  }
  return out / sum;
}

/// The same by two warps: one takes the first block, the other the rest, then their states are merged.
double split_and_merged() {
  const std::vector<float>& scores = cuda::demos::eleven_scores();
  std::array<float, 2> outs{};
  std::array<cpu::OnlineSoftmax, 2> states;
  for (std::size_t i = 0; i < 2; ++i) {
    states[i].out = {&outs[i], 1};
    states[i].reset();
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto value = static_cast<float>(j + 1);
    states[j < cuda::demos::kElevenBlockSize ? 0 : 1].add({&scores[j], 1}, &value, 1);
  }
  states[0].merge(states[1]);
  states[0].finish(states[0].out);
  return static_cast<double>(outs[0]);
}

void the_same_result(LessonKit& kit, const DecodeWalk& walk) {
  const auto millionths = [](double number) { return static_cast<std::uint64_t>(std::llround(number * 1e6)); };
  kit.say(
      tr_format("Softmax over all eleven scores at once gives {:.6f}. Two warps that share the keys and merge their "
                "states give {:.6f}: that is split-KV, for a long sequence that one warp would read too slowly.",
                two_passes(), split_and_merged()));
  kit.expect("the kernel's result, in millionths", 8195079, millionths(walk.out));
  kit.expect("two passes in double, in millionths", 8195079, millionths(two_passes()));
  const DecodeWalk blocks = cuda::demos::walk_eleven_keys(4);
  kit.say(
      tr_format("With a warp of 4 lanes a pass is a block, and m, l, acc go through ({}, {:.4f}, {:.4f}), ({}, {:.4f}, "
                "{:.4f}), ({}, {:.4f}, {:.4f}): other steps, the same end.",
                blocks.passes[0].m, blocks.passes[0].l, blocks.passes[0].acc, blocks.passes[1].m, blocks.passes[1].l,
                blocks.passes[1].acc, blocks.passes[2].m, blocks.passes[2].l, blocks.passes[2].acc),
      points_to(blocks.steps, 4));
  kit.expect("passes of a warp of 4 lanes", 3, blocks.passes.size());
}

void the_bytes(LessonKit& kit, const DecodeWalk& walk) {
  const SteppedKernel kernel = after_stops(walk.steps);
  kit.say(
      std::string(tr("What did it cost? The emulator has no clock, but it counts every byte that a lane asks for, line "
                     "by line.")),
      points_to(walk.steps));
  kit.show(cuda::demos::counts_text(kernel));
  std::size_t keys_and_values = 0;
  for (const auto& line : kernel.log().lines()) {
    if (line.region == "keys" || line.region == "values") keys_and_values += line.bytes;
  }
  kit.ask(
      {.text = std::string(tr("Eleven tokens, one number of 4 bytes in K and one in V. How many bytes of K and V must "
                              "be read at least, and how many did the warp ask for?")),
       .choices = {"88", "176", "352"},
       .expected = "88",
       .answer = std::to_string(keys_and_values),
       .because = std::string(tr("2 × 11 × 4: each key and each value once. The table and the length are read by every "
                                 "lane anew, but there they come from the cache, and with heads of 128 numbers they "
                                 "hardly count. Reading K and V is the price of decode (lesson 02)."))},
      points_to(walk.steps));
}

}  // namespace

void paged_attention_kernel(LessonKit& kit) {
  kit.title(std::string(tr("15 A kernel for the paged cache")));
  const Scenario& scenario = find_scenario("S11");
  ScenarioParams params = scenario.defaults;
  params.prompt_tokens = 6;  // more steps to the same eleven tokens
  params.new_tokens = 7;
  ScenarioRun run(find_scenario("S02"), params);
  const DecodeWalk walk = cuda::demos::walk_eleven_keys(kLanes);
  the_table(kit, run);
  the_gather(kit);
  the_first_pass(kit, walk.passes[0]);
  the_second_pass(kit, walk);
  the_same_result(kit, walk);
  the_bytes(kit, walk);
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: a lane finds its token through the block table, a warp shares what it found by shuffles, and three "
      "numbers carry a query through any number of passes. The blocks may lie anywhere, for they only change where a "
      "lane reads. The file attention_decode.cuh goes on from here, rung by rung.")));
}

}  // namespace kvarium
