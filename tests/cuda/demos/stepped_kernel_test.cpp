// Scenario S11, stepped forwards and back.

#include "cuda/demos/stepped_kernel.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "cuda/demos/stepped_text.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cuda::demos;
using cuda::emulator::LineCount;
using cuda::emulator::Space;
using kvarium_test::contains;

namespace {

void forward(SteppedKernel& kernel, int steps, StepSize size = StepSize::stop) {
  for (int i = 0; i < steps; ++i) REQUIRE(kernel.forward(size));
}

std::string shown(const SteppedKernel& kernel, unsigned lane, const std::string& name) {
  return register_words(kernel.threads().thread(lane), name);
}

/// "m 5 l 1.6462 acc 8.1991"
std::string state(const SteppedKernel& kernel, unsigned lane = 0) {
  return "m " + shown(kernel, lane, "m") + " l " + shown(kernel, lane, "l") + " acc " + shown(kernel, lane, "acc");
}

const LineCount& line_of(const SteppedKernel& kernel, const std::string& region) {
  for (const LineCount& line : kernel.log().lines()) {
    if (line.region == region) return line;
  }
  throw MisuseError("no line touches " + region);
}

}  // namespace

TEST_CASE("S11: two passes of eight lanes, from stop to stop") {
  SteppedKernel kernel(find_demo("", "", ""));
  CHECK(kernel.threads().num_threads() == 8);
  forward(kernel, 4);
  CHECK(kernel.threads().waiting().find("threads 0-7 pause at pass") == 0);
  CHECK(state(kernel) == "m 5 l 1.6462 acc 8.1991");
  CHECK(state(kernel, 7).find("m 5 l 1.6462") == 0);  // all lanes hold the same
  forward(kernel, 4);
  CHECK(state(kernel) == "m 6 l 1.6579 acc 13.5862");
  CHECK(shown(kernel, 0, "alpha") == "0.3679");
  forward(kernel, 1);
  CHECK(kernel.threads().is_done());
  CHECK_FALSE(kernel.forward(StepSize::stop));
  CHECK(kernel.num_steps() == 9);
  CHECK(std::to_string(kernel.instance().outputs()[0].numbers[0]).find("8.19507") == 0);
}

TEST_CASE("S11: in the second pass three of eight lanes have a key, 11 of 16 in all") {
  SteppedKernel kernel(find_demo("", "", ""));
  forward(kernel, 2);
  CHECK(busy_words(busy_lanes(kernel, requests_of(kernel.log(), line_of(kernel, "keys")))) == "8 of 8, 100 %");
  forward(kernel, 4);
  const auto requests = requests_of(kernel.log(), line_of(kernel, "keys"));
  REQUIRE(requests.size() == 2);
  CHECK(lanes_of(*requests[0]) == 0b11111111);
  CHECK(lanes_of(*requests[1]) == 0b00000111);
  CHECK(lanes_figure(lanes_of(*requests[1]), 8) == "###.....");
  CHECK(busy_words(busy_lanes(kernel, requests)) == "11 of 16, 68.75 %");
}

TEST_CASE("S11: lanes that are behind go on first, so that all come to the same stop") {
  SteppedKernel kernel(find_demo("", "", ""));
  forward(kernel, 5);  // the second pass: lanes 0-2 found a key, lanes 3-7 have none and are a stop ahead
  CHECK(kernel.threads().waiting().find("threads 0-2 pause at found the key") == 0);
  CHECK_THAT(kernel.threads().waiting(), contains("threads 3-7 pause at score"));
  forward(kernel, 1);
  CHECK(kernel.threads().waiting().find("threads 0-7 pause at score") == 0);
}

TEST_CASE("S11: the gather follows the block table, and says what was read so far") {
  SteppedKernel kernel(find_demo("", "", ""));
  forward(kernel, 2);
  CHECK(gather_text(kernel) ==
        "token    0   1   2   3 |   4   5   6   7 |   8   9  10\n"
        "block    7             |   3             |  12\n"
        "slot    28  29  30  31 |  12  13  14  15 |  48  49  50\n"
        "K        #   #   #   # |   #   #   #   # |   .   .   .\n"
        "V        .   .   .   . |   .   .   .   . |   .   .   .\n"
        "# touched so far\n");
  const auto* request = newest_request(kernel.log(), Space::global);
  REQUIRE(request != nullptr);
  CHECK(request->region == "keys");
  CHECK(cuda::emulator::sectors(*request) == 2);  // two blocks of 16 bytes, in different sectors
  CHECK(cuda::emulator::fewest_sectors(*request) == 1);
  CHECK_THAT(requests_text(kernel), contains("bytes    32 to    63  [  .  .  .  .  4  5  6  7 ]"));
}

TEST_CASE("a step back is everything but the last step again") {
  SteppedKernel kernel(find_demo("", "", ""));
  std::vector<std::string> texts{kernel_text(kernel, 0)};
  while (kernel.forward(StepSize::warp)) texts.push_back(kernel_text(kernel, 0));
  REQUIRE(texts.size() > 20);
  for (std::size_t i = texts.size() - 1; i > 0; --i) {
    CHECK(kernel_text(kernel, 0) == texts[i]);
    REQUIRE(kernel.back());
  }
  CHECK(kernel_text(kernel, 0) == texts[0]);
  CHECK_FALSE(kernel.back());
}

TEST_CASE("one lane goes to its shuffle and waits there; the next that can go on takes the step after") {
  SteppedKernel kernel(find_demo("", "", ""));
  forward(kernel, 2);
  forward(kernel, 1, StepSize::lane);
  CHECK(state_words(kernel.threads().thread(0)) == "waits at __shfl_xor_sync for lanes 0-7");
  CHECK(state_sign(kernel.threads().thread(0)) == '~');
  forward(kernel, 1, StepSize::lane);
  CHECK(state_words(kernel.threads().thread(0)) == "waits at __shfl_xor_sync for lanes 0-7");
  CHECK(state_words(kernel.threads().thread(1)) == "waits at __shfl_xor_sync for lanes 0-7");
  CHECK(state_words(kernel.threads().thread(2)) == "at stop \"score\"");
}

TEST_CASE("the barrier of a block of two warps: each waits for the other") {
  SteppedKernel kernel(find_demo("rms_norm", "block_a_token", ""));
  CHECK(kernel.num_blocks() == 2);
  while (!kernel.threads().waiting().empty() && kernel.threads().waiting().find("__syncthreads") == std::string::npos) {
    REQUIRE(kernel.forward(StepSize::warp, 32));
  }
  CHECK_THAT(kernel.threads().waiting(), contains("threads 32-63 wait at __syncthreads"));
  CHECK_THAT(shared_text(kernel), contains("1 elements are written"));
  REQUIRE(kernel.forward(StepSize::phase));
  CHECK_THAT(shared_text(kernel), contains("2 elements are written"));
  kernel.use_block(1);
  CHECK(kernel.num_steps() == 0);
  CHECK(kernel.block_index().x == 1);
  CHECK_THROWS_AS(kernel.use_block(2), MisuseError);
}

TEST_CASE("rows side by side: a thread a token wants a sector each, a warp a token shares them") {
  const auto of_x = [](const char* rung) {
    SteppedKernel kernel(find_demo("rms_norm", rung, ""));
    forward(kernel, 1, StepSize::end);
    return line_of(kernel, "x").excess();
  };
  CHECK(of_x("thread_a_token") == 8.0);
  CHECK(of_x("warp_a_token") == 1.0);
  CHECK(of_x("block_a_token") == 1.0);
}
