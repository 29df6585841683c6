// S11: the kernel that reads a paged cache.

#include "cuda/demos/attention_decode_demo.h"
#include "cuda/demos/decode_passes.h"
#include "cuda/demos/stepped_kernel.h"
#include "lessons/scenarios/paged_kernel.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using namespace kvarium::cuda::demos;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

std::vector<Said> words(const Trace& trace) {
  std::vector<Said> said;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (const auto* event = std::get_if<Said>(&trace[i])) said.push_back(*event);
  }
  return said;
}

}  // namespace

TEST_CASE("S11: a warp of 8 takes two passes, and says what it found") {
  const std::vector<Said> said = words(Run("S11").trace);
  REQUIRE(said.size() == 4);
  CHECK_THAT(said[1].text, contains("Pass 1: lanes 0-7 read slots 28 29 30 31 12 13 14 15"));
  CHECK_THAT(said[1].text, contains("max = 5, sum = 1.6462, out = 8.1991"));
  CHECK_THAT(said[2].text, contains("Pass 2: lanes 0-2 read slots 48 49 50 and find the scores 0 6 3."));
  CHECK_THAT(said[2].text,
             contains("max = 6, sum = 1.6579, out = 13.5862; what was there before was multiplied by 0.3679"));
  CHECK(said[3].text == "The result is out / sum = 8.195079.");
  CHECK(parse_step_point(said[2].points[1]) == DemoStep{{0, 0, 0}, StepSize::stop, 8});
}

TEST_CASE("S11: a warp of 4 takes a block a pass, a whole warp everything at once; the result is the same") {
  const DecodeWalk four = walk_eleven_keys(4), whole = walk_eleven_keys(32);
  REQUIRE(four.passes.size() == 3);
  CHECK(four.passes[0].m == 3);
  CHECK(std::abs(four.passes[0].l - 1.5530) <= 5e-5);  // half of a unit in the last place that is given
  CHECK(std::abs(four.passes[0].acc - 3.4381) <= 5e-5);
  CHECK(std::abs(four.passes[1].alpha - 0.1353) <= 5e-5);
  CHECK(four.passes[2].m == 6);
  CHECK(std::abs(four.passes[2].acc - 13.5862) <= 5e-5);
  CHECK(four.passes[2].slots == std::vector<std::size_t>{48, 49, 50});
  REQUIRE(whole.passes.size() == 1);
  CHECK(whole.passes[0].lanes == 0x7FF);
  CHECK(std::abs(four.out - whole.out) <= 1e-6);  // sums of at most 11 floats near 14, in another order
  CHECK(words(Run("S11", std::vector<std::string>{"part=4"}).trace).size() == 5);
}

TEST_CASE("S11: the engine's table is the one that the kernel reads, and its newest token sees 11") {
  const Run run("S11");
  const World first = run.after_step(1);
  std::vector<unsigned> table;
  for (const BlockId block : first.request(RequestId{0}).table) table.push_back(value(block));
  CHECK(table == eleven_table());
  CHECK(run.after_step(2).request(RequestId{0}).read_count == eleven_scores().size());
  CHECK(first.block_size == kElevenBlockSize);
}

TEST_CASE("S11: its text twin ends with the kernel, and other lanes are refused") {
  CHECK_THAT(paged_kernel_text(find_scenario("S11").defaults), contains("out: 8.195079"));
  CHECK_THROWS_WITH(Run("S11", std::vector<std::string>{"part=5"}), contains("4, 8, 32"));
}

TEST_CASE("a place in a kernel is named and found again") {
  const DemoStep step{find_demo("rms_norm", "block_a_token", ""), StepSize::phase, 1};
  CHECK(step_point(step) == "kernel:rms_norm/block_a_token/2x256/phase/1");
  CHECK(parse_step_point(step_point(step)) == step);
  for (const char* wrong : {"", "kernel:", "kernel:rms_norm/block_a_token/2x256/phase", "block:3",
                            "kernel:rms_norm/block_a_token/2x256/phase/1x", "kernel:a/b/c/phase/1"}) {
    CHECK_FALSE(parse_step_point(wrong));
  }
}
