// Threads that meet, as a story to be read from top to bottom: how four lanes add up their numbers by shuffles, and
// what becomes of a block when one thread never comes to the barrier. The emulator runs real kernels, one lane at a
// time, and every state below is checked when the tests run.
//
// Notation: what each thread shows in its register, and what it waits for.
//   1 2 3 4       the numbers of lanes 0 to 3
//   threads 0-2 wait at __shfl_xor_sync with mask 0x0000000f (file:line), thread 3 can run

#include <string>
#include <vector>

#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/stepper.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "tests/support/catch.h"

namespace kvarium::cuda {
namespace {

using emulator::Stepper;
using kvarium_test::contains;

/// Every lane adds the number of the lane 2 away, then of the lane 1 away.
__global__ void add_up(gptr<int> x) {
  int sum = x[threadIdx.x];
  SIMT_SHOW("sum", sum);
  SIMT_PAUSE("read");
  for (int distance = 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xFU, sum, distance);
    SIMT_SHOW("sum", sum);
    SIMT_PAUSE("added");
  }
  x[threadIdx.x] = sum;
}

/// Each thread writes a number, and reads that of its neighbour after the barrier.
__global__ void pass_on(gptr<int> x, unsigned leaves_early) {
  SIMT_SHARED(int[4], desk);
  desk[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == leaves_early) return;
  __syncthreads();
  x[threadIdx.x] = desk[(threadIdx.x + 1) % 4];
}
constexpr unsigned kNobody = 4;

std::string sums(const Stepper& stepper) {
  std::string text;
  for (unsigned t = 0; t < stepper.num_threads(); ++t) {
    text += (t == 0 ? "" : " ") + std::to_string(static_cast<int>(stepper.thread(t).shown.at(0).value));
  }
  return text;
}

/// What the checker says when the kernel runs to its end; "" when it finds nothing.
std::string complaint(unsigned leaves_early) {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stream stream;
  launch(pass_on, 1, 4, 0, stream, x.ptr(), leaves_early);
  try {
    stream.synchronize();
  } catch (const emulator::KernelFault& fault) {
    return fault.what();
  }
  return "";
}

TEST_CASE("1. A shuffle hands a register to another lane, and nobody has it before both have come") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stepper stepper(emulator::make_launch(add_up, 1, 4, 0, x.ptr()));
  stepper.step_warp(0);
  CHECK(sums(stepper) == "1 2 3 4");

  for (unsigned lane = 0; lane < 3; ++lane) stepper.step_lane(lane);
  CHECK(stepper.waiting().find("threads 0-2 wait at __shfl_xor_sync with mask 0x0000000f") == 0);
  CHECK_FALSE(stepper.step_lane(0));  // lane 2, whose number it wants, is there; but the mask names lane 3 too
  CHECK(sums(stepper) == "1 2 3 4");

  stepper.step_lane(3);
  CHECK(stepper.waiting() == "threads 0-3 can run");
}

TEST_CASE("2. Two shuffles add up four numbers: the lane 2 away, then the lane 1 away") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stepper stepper(emulator::make_launch(add_up, 1, 4, 0, x.ptr()));
  stepper.step_warp(0);
  stepper.step_warp(0);               // to the meeting
  stepper.step_warp(0);               // and off it
  CHECK(sums(stepper) == "4 6 4 6");  // 1 + 3, 2 + 4, and the same the other way
  stepper.step_warp(0);
  stepper.step_warp(0);
  CHECK(sums(stepper) == "10 10 10 10");  // 4 + 6: every lane has the whole sum, without any common variable
  while (stepper.step_warp(0)) {
  }
  CHECK(x.download() == std::vector<int>{10, 10, 10, 10});
}

TEST_CASE("3. At a barrier all threads of the block meet: what was written before is there for all after") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stepper stepper(emulator::make_launch(pass_on, 1, 4, 0, x.ptr(), kNobody));
  for (unsigned t = 0; t < 3; ++t) stepper.step_lane(t);
  CHECK_THAT(stepper.waiting(), contains("threads 0-2 wait at __syncthreads"));
  CHECK_THAT(stepper.waiting(), contains("thread 3 can run"));
  CHECK_FALSE(stepper.step_barrier());  // not yet
  stepper.step_lane(3);
  CHECK(stepper.step_barrier());
  while (stepper.step_phase()) {
  }
  CHECK(x.download() == std::vector<int>{2, 3, 4, 1});
}

TEST_CASE("4. A thread that returns before the barrier: the checker names it, and who waits in vain, and where") {
  const std::string said = complaint(3);
  CHECK(said.find("block 0: not every thread comes to the barrier: threads 0-2 wait at __syncthreads") == 0);
  CHECK_THAT(said, contains("thread 3 returned"));
  CHECK(complaint(kNobody) == "");
}

TEST_CASE("5. The same seen step by step: three wait, one is gone, and the barrier cannot open") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4}, "x");
  Stepper stepper(emulator::make_launch(pass_on, 1, 4, 0, x.ptr(), 3U));
  while (stepper.step_warp(0)) {
  }
  CHECK_THAT(stepper.waiting(), contains("threads 0-2 wait at __syncthreads"));
  CHECK_THAT(stepper.waiting(), contains("thread 3 returned"));
  CHECK_THROWS_AS(stepper.step_barrier(), emulator::KernelFault);
  CHECK(x.download() == std::vector<int>{1, 2, 3, 4});  // nobody came past it
}

}  // namespace
}  // namespace kvarium::cuda
