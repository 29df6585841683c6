// A kernel in slow motion.

#include "cuda/simt/emulator/stepper.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::make_launch;
using emulator::Stepper;
using emulator::ThreadState;
using kvarium_test::fault_of;
using kvarium_test::line_of;

namespace {

constexpr int kPauseLine = __LINE__ + 4;
__global__ void reverse(gptr<int> x) {
  SIMT_SHARED(int[8], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  SIMT_PAUSE("written");
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + static_cast<int>(blockIdx.x);
}

__global__ void add_across(gptr<int> x) {
  int value = x[threadIdx.x];
  for (int distance = 1; distance < 4; distance *= 2) value += __shfl_xor_sync(0xFU, value, distance);
  x[threadIdx.x] = value;
}

__global__ void count_down(gptr<int> x) {
  for (int left = x[threadIdx.x]; left > 0; --left) {
    SIMT_SHOW("left", left);
    SIMT_PAUSE("counted");
  }
  SIMT_SHOW("half", 0.5F);
}

__global__ void out_of_bounds(gptr<int> x) { x[threadIdx.x + 3] = 1; }

}  // namespace

TEST_CASE("stepper: one lane runs to its pause, to the barrier, and to its end") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4});
  Stepper stepper(make_launch(reverse, 1, 4, 0, x.ptr()));
  CHECK(stepper.waiting() == "threads 0-3 can run");
  CHECK(stepper.step_lane(1));
  CHECK(stepper.thread(1).state == ThreadState::paused);
  CHECK(std::string(stepper.thread(1).waits_at) == "written");
  CHECK(stepper.thread(1).site.line == kPauseLine);
  CHECK(stepper.step_lane(1));
  CHECK(stepper.thread(1).state == ThreadState::at_barrier);
  CHECK(stepper.thread(1).site.line == kPauseLine + 1);
  CHECK_FALSE(stepper.step_lane(1));  // the others have not come
  CHECK_FALSE(stepper.step_barrier());
  CHECK(x.download() == std::vector<int>{1, 2, 3, 4});

  while (stepper.step_warp(0)) {
  }
  const std::string at = "__syncthreads (" + line_of(__FILE__, kPauseLine + 1) + ")";
  CHECK(stepper.waiting() == "threads 0-3 wait at " + at);
  CHECK(stepper.step_barrier());
  CHECK(stepper.step_lane(3));
  CHECK(stepper.thread(3).state == ThreadState::returned);
  CHECK(x.download() == std::vector<int>{1, 2, 3, 1});
  CHECK_FALSE(stepper.is_done());
  while (stepper.step_warp(0)) {
  }
  CHECK(stepper.is_done());
  CHECK_FALSE(stepper.step_barrier());
  CHECK(x.download() == std::vector<int>{4, 3, 2, 1});
}

TEST_CASE("stepper: a phase is everything up to a barrier") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4});
  Stepper stepper(make_launch(reverse, 1, 4, 0, x.ptr()));
  CHECK(stepper.step_phase());
  CHECK(x.download() == std::vector<int>{1, 2, 3, 4});
  REQUIRE(stepper.shared().regions().size() == 1);
  CHECK(stepper.shared().regions()[0]->name == "tile");
  CHECK(reinterpret_cast<const int*>(stepper.shared().regions()[0]->begin)[2] == 3);
  CHECK_FALSE(stepper.step_phase());
  CHECK(x.download() == std::vector<int>{4, 3, 2, 1});
}

TEST_CASE("stepper: a warp goes from one shuffle to the next, with its mask") {
  DeviceBuffer<int> x(std::vector<int>{1, 10, 100, 1000});
  Stepper stepper(make_launch(add_across, 1, 4, 0, x.ptr()));
  for (unsigned lane = 0; lane < 3; ++lane) CHECK(stepper.step_lane(lane));
  CHECK_FALSE(stepper.step_lane(0));
  CHECK(stepper.thread(0).state == ThreadState::at_warp_call);
  CHECK(stepper.thread(0).mask == 0xFU);
  CHECK(std::string(stepper.thread(0).waits_at) == "__shfl_xor_sync");
  CHECK(stepper.step_lane(3));  // the last one: all have what they came for
  CHECK(stepper.waiting() == "threads 0-3 can run");
  CHECK(stepper.step_warp(0));
  CHECK(stepper.waiting() == "threads 0-3 can run");
  CHECK(stepper.thread(3).mask == 0xFU);
  while (stepper.step_warp(0)) {
  }
  CHECK(x.download() == std::vector<int>(4, 1111));
}

TEST_CASE("stepper: two kernels by turns do not disturb each other, and one that is given up leaves nothing behind") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}), y(std::vector<int>{5, 6, 7, 8});
  Stepper first(make_launch(reverse, 2, 4, 0, x.ptr()));
  {
    Stepper second(make_launch(reverse, 1, 4, 0, y.ptr()));
    second.step_lane(2);
    first.step_phase();
    second.step_phase();
    first.step_phase();
    second.step_lane(0);
  }
  CHECK(x.download() == std::vector<int>{4, 3, 2, 1});
  CHECK(y.download() == std::vector<int>{8, 6, 7, 8});
  first.begin_block({1, 0, 0});
  while (first.step_phase()) {
  }
  CHECK(x.download() == std::vector<int>{2, 3, 4, 5});
  CHECK_THROWS_AS(first.begin_block({2, 0, 0}), kvarium::MisuseError);
}

TEST_CASE("stepper: the registers that a kernel shows, of each thread, with their last value") {
  DeviceBuffer<int> x(std::vector<int>{1, 2});
  Stepper stepper(make_launch(count_down, 1, 2, 0, x.ptr()));
  const auto shown = [&](unsigned thread) {
    std::string text;
    for (const auto& number : stepper.thread(thread).shown) {
      text += std::string(text.empty() ? "" : " ") + number.name + " " + std::to_string(number.value);
    }
    return text;
  };
  CHECK(shown(1) == "");
  stepper.step_lane(1);
  CHECK(shown(1) == "left 2.000000");
  stepper.step_lane(1);
  CHECK(shown(1) == "left 1.000000");
  CHECK(shown(0) == "");
  while (stepper.step_phase()) {
  }
  CHECK(shown(0) == "left 1.000000 half 0.500000");
  stepper.begin_block({});
  CHECK(shown(0) == "");
}

TEST_CASE("stepper: a fault comes out of the step that meets it, and the block can be begun again") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stepper stepper(make_launch(out_of_bounds, 1, 4, 0, x.ptr()));
  CHECK(fault_of([&] { stepper.step_lane(0); }) == "");
  CHECK(fault_of([&] { stepper.step_lane(1); }).find("block 0, thread 1: writes element 4 of x, which has 4") == 0);
  stepper.begin_block({});
  CHECK(fault_of([&] { stepper.step_lane(0); }) == "");
}
