// Lesson 17: one matrix product, three kernels; then attention, three kernels (17_prefill_ladder.cpp). What each moves
// between the memory of a GPU and its threads is counted by the emulator while they compute the same numbers. Runs on
// scenario S02; the chapter is docs/lessons/17_from_threads_to_tensor_cores.md.

#include <algorithm>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cuda/demos/linear_demo.h"
#include "cuda/simt/fragment.h"
#include "lessons/17_prefill_ladder.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/measured_kernel.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

using cuda::demos::LinearStep;
using cuda::emulator::LineCount;
using cuda::emulator::Space;

constexpr RequestId kA{0};
// Whole tiles of every rung: 64 tokens, 128 outputs.
constexpr cuda::demos::LinearSize kSize{64, 128, 16};
constexpr std::uint64_t kNumber = 2;  // bytes, f16

MeasuredKernel measured(LinearStep step, const cuda::demos::LinearSize& size = kSize) {
  return MeasuredKernel(*cuda::demos::linear_instance(step, size));
}

const std::vector<std::string> kInputs{"x", "weight"};
std::size_t input_bytes(const MeasuredKernel& rung) { return rung.reads(kInputs).bytes; }

struct Ladder {
  MeasuredKernel plain = measured(LinearStep::plain), tiled = measured(LinearStep::tiled),
                 mma = measured(LinearStep::mma);
};

void the_work(LessonKit& kit, ScenarioRun& run) {
  kit.say(std::string(
      tr("Almost all arithmetic of a language model is one thing: the numbers of each token times a matrix of weights. "
         "y[t][o] is the sum over i of x[t][i] weight[o][i]. The prompt brings many tokens at once, then each step "
         "brings one (lesson 02).")));
  run.to_step(1, kit);
  const auto first = kit.world().request(kA).new_count;
  run.to_step(2, kit);
  kit.say(tr_format("In this run the first step multiplied the numbers of {} tokens with the weights, the second those "
                    "of {}. The question of this lesson: how often must a number travel from the memory of a GPU to "
                    "the threads that need it?",
                    first, kit.world().request(kA).new_count),
          {point(kA)});
  kit.say(
      tr_format("The product to look at has {} tokens, {} outputs and {} inputs, in numbers of {} bytes. The emulator "
                "runs three kernels on it and counts every byte that a lane asks for. It has no clock, and prints no "
                "times.",
                kSize.tokens, kSize.outputs, kSize.inputs, kNumber));
}

void the_plain_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(
      std::string(tr("The plain kernel gives each result a thread. The thread walks along a row of x and a row of the "
                     "weights, multiplies and adds. No thread knows of another.")),
      points_to_rung("linear", "plain"));
  const std::uint64_t x_bytes = static_cast<std::uint64_t>(kSize.tokens * kSize.inputs) * kNumber;
  kit.ask({.text = tr_format("x has {} × {} numbers. How often is each of them read?", kSize.tokens, kSize.inputs),
           .choices = {"1", "64", "128"},
           .expected = "128",
           .answer = std::to_string(ladder.plain.reads({"x"}).bytes / x_bytes),
           .because =
               tr_format("Once for each output; and each weight once for each token. In all {} instead of {}.",
                         binary_size(input_bytes(ladder.plain)),
                         binary_size(x_bytes + static_cast<std::uint64_t>(kSize.outputs * kSize.inputs) * kNumber))});
  const LineCount weight = ladder.plain.reads({"weight"});
  kit.say(
      tr_format("And badly: neighbouring lanes want weights that lie a row apart, so {} sectors of 32 bytes come where "
                "{} would hold what is asked for. A warp is quick when its lanes read side by side.",
                weight.answers, weight.fewest_answers));
  kit.expect("sectors of the weights, for each that would do, in the plain kernel", 16,
             weight.answers / weight.fewest_answers);
}

/// Wavefronts of a warp whose lane i reads element i of a column, in a tile of rows of `width` floats.
std::size_t column_wavefronts(std::size_t width) {
  cuda::emulator::Request request;
  request.space = Space::shared;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.lanes.push_back({lane, lane * width * sizeof(float), sizeof(float)});
  return cuda::emulator::wavefronts(request);
}

void the_tiled_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(std::string(tr("A block of threads has a little memory of its own on the chip: shared memory. The tiled "
                         "kernel lets 256 threads "
                         "load a tile of 32 × 32 numbers of x and one of the weights, meet at a barrier, and use every "
                         "number 32 times "
                         "before the next tiles come.")),
          points_to_rung("linear", "tiled"));
  kit.ask({.text = std::string(tr("How many times fewer bytes of x and of the weights come from the large memory?")),
           .choices = {"8", "32", "256"},
           .expected = "32",
           .answer = std::to_string(input_bytes(ladder.plain) / input_bytes(ladder.tiled)),
           .because = tr_format("{} instead of {}: what one thread loads, 32 use.",
                                binary_size(input_bytes(ladder.tiled)), binary_size(input_bytes(ladder.plain)))});
  kit.say(
      std::string(tr("Shared memory has 32 banks of 4 bytes; words of one bank are answered one after another. In the "
                     "inner loop each lane reads its own row of the weights' tile, all at the same column.")));
  kit.ask(
      {.text =
           std::string(tr("A row has 32 floats. How many rounds does it take until 32 lanes have the numbers of one "
                          "column?")),
       .choices = {"1", "2", "32"},
       .expected = "32",
       .answer = std::to_string(column_wavefronts(32)),
       .because = tr_format("Rows of 32 put a whole column into one bank. The kernel makes its rows 33 long: then it "
                            "takes {}. One number for each row that nobody reads, and the conflict is gone.",
                            column_wavefronts(33))});
  const LineCount tile = ladder.tiled.reads({"weight_tile"});
  kit.expect("wavefronts of the weights' tile, for each request", 1, tile.answers / tile.requests);
}

/// Which lane holds each element of C: [16][8].
std::string fragment_figure() {
  int holder[16][8] = {};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) holder[cuda::c_row(lane, i)][cuda::c_column(lane, i)] = lane;
  }
  std::string figure = std::string(tr("row   the lane that holds each of its 8 numbers")) + "\n";
  for (int row = 0; row < 16; ++row) {
    figure += fmt::format("{:>3}  ", row);
    for (const int lane : holder[row]) figure += fmt::format("{:>4}", lane);
    figure += "\n";
  }
  return figure;
}

int holder_of(int row, int column) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      if (cuda::c_row(lane, i) == row && cuda::c_column(lane, i) == column) return lane;
    }
  }
  return -1;
}

void the_matrix_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(
      std::string(tr(
          "The third kernel lets the matrix units (tensor cores) multiply. One instruction of a whole warp, "
          "mma.m16n8k16, "
          "adds the product of 16 × 16 and 16 × 8 numbers to 16 × 8 sums: 2,048 multiplications. No lane has a matrix: "
          "each holds a few numbers of all three, a fragment.")),
      points_to_rung("linear", "mma"));
  kit.show(fragment_figure());
  kit.ask({.text = std::string(tr("Which lane holds row 9, column 5 of the 16 × 8 sums?")),
           .choices = {},
           .expected = "6",
           .answer = std::to_string(holder_of(9, 5)),
           .because =
               std::string(tr("Lanes go by fours along a row, each with two neighbours: row 9 is the second row of the "
                              "lower half, lanes 4 to 7, and columns 4 and 5 belong to the third of them."))});
  const std::size_t same = static_cast<std::size_t>(std::count_if(
      ladder.mma.result.numbers.begin(), ladder.mma.result.numbers.end(),
      [&, i = std::size_t{0}](float number) mutable { return number == ladder.plain.result.numbers[i++]; }));
  kit.say(
      tr_format("A block makes 64 × 128 results at once, so every number of x is used 128 times and every weight 64 "
                "times: {} come from the large memory. The next tiles are copied while these are multiplied. All {} "
                "results are those of the plain kernel.",
                binary_size(input_bytes(ladder.mma)), same));
  kit.expect("results of the matrix instructions that are those of the plain kernel",
             static_cast<std::uint64_t>(kSize.tokens * kSize.outputs), same);
}

void the_ladder(LessonKit& kit, const Ladder& ladder) {
  kit.show(ladder_heads("x, weights") + ladder_row("plain", ladder.plain, ladder.plain, kInputs) +
           ladder_row("tiled", ladder.tiled, ladder.plain, kInputs) +
           ladder_row("mma", ladder.mma, ladder.plain, kInputs));
  kit.say(
      std::string(tr("Here is the ladder, as counted. Each rung computes the same and asks the large memory for less, "
                     "because what was brought is used more often before it goes.")));
  constexpr cuda::demos::LinearSize kOneToken{1, 16, 64};
  const std::uint64_t flops = std::uint64_t{2} * kOneToken.outputs * kOneToken.inputs;
  const std::uint64_t bytes = measured(LinearStep::few, kOneToken).reads({"weight"}).bytes;
  kit.ask(
      {.text = std::string(tr("With one token, as in decode: how many multiplications and additions are there for each "
                              "byte of the weights, in 16-bit numbers?")),
       .choices = {"1", "16", "64"},
       .expected = "1",
       .answer = std::to_string(flops / bytes),
       .because =
           std::string(tr("Each weight of 2 bytes is multiplied and added once. No tile helps, because nothing is "
                          "used twice: decode waits for memory, and only a batch of sequences brings more work "
                          "for each byte (lesson 02). The kernel for few tokens reads 16 bytes a lane, and each "
                          "weight once."))},
      points_to_rung("linear", "few"));
}

}  // namespace

void from_threads_to_tensor_cores(LessonKit& kit) {
  kit.title(std::string(tr("17 From threads to tensor cores")));
  const Scenario& scenario = find_scenario("S02");
  ScenarioRun run(scenario, scenario.defaults);
  const Ladder ladder;
  the_work(kit, run);
  the_plain_rung(kit, ladder);
  the_tiled_rung(kit, ladder);
  the_matrix_rung(kit, ladder);
  the_ladder(kit, ladder);
  climb_the_prefill_ladder(kit);
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: a quick kernel is a plan of what to bring when. Read side by side, use what was brought by all who "
      "need it, keep the banks apart, and give the matrix units whole fragments. How quick it is, only a GPU can "
      "say.")));
}

}  // namespace kvarium
