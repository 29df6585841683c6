// What the emulator says of threads that do not come to a barrier.

#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::FaultKind;
using emulator::KernelFault;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

constexpr int kBarrierLine = __LINE__ + 3;
__global__ void some_return_early(unsigned first_to_return) {
  if (threadIdx.x >= first_to_return) return;
  __syncthreads();
}

constexpr int kLowLine = __LINE__ + 4;
constexpr int kHighLine = __LINE__ + 5;
__global__ void two_barriers() {
  if (threadIdx.x < 3) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

constexpr int kWarpLine = __LINE__ + 4;
constexpr int kBlockLine = __LINE__ + 5;
__global__ void barrier_and_shuffle(gptr<int> out) {
  if (threadIdx.x < 5) {
    out[threadIdx.x] = __shfl_sync(0xFFFFFFFFU, 1, 0);
  } else {
    __syncthreads();
  }
}

/// Thread 2 comes to the barrier once more than the others.
constexpr int kRoundLine = __LINE__ + 3;
__global__ void one_more_round() {
  const int rounds = threadIdx.x == 2 ? 3 : 2;
  for (int i = 0; i < rounds; ++i) __syncthreads();
}

__global__ void reverse(gptr<int> x) {
  SIMT_SHARED(int[96], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void count_even(gptr<int> out) {
  const int is_even = threadIdx.x % 2 == 0 ? 1 : 0;
  const int count = __syncthreads_count(is_even);
  const int all = __syncthreads_and(is_even);
  const int any = __syncthreads_or(is_even);
  if (threadIdx.x == 0) out[0] = 100 * count + 10 * all + any;
}

__global__ void throws_in_thread(unsigned thrower) {
  if (threadIdx.x == thrower) throw std::runtime_error("from thread " + std::to_string(threadIdx.x));
  __syncthreads();
}

/// Every object of a thread that is unwound is destroyed.
struct Counted {
  explicit Counted(int* alive_now) : alive(alive_now) { ++*alive; }
  ~Counted() { --*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int* alive;
};
__global__ void objects_and_barrier(int* alive, unsigned returns) {
  const Counted counted(alive);
  if (threadIdx.x == returns) return;
  __syncthreads();
}

}  // namespace

TEST_CASE("walkthrough: a barrier that one thread never reaches") {
  // Thread 8 and those after it return; threads 0 to 7 wait for them at the barrier. A device may hang here, or go on
  // with half of the data. The emulator names both groups, and the line.
  const std::string site = line_of(__FILE__, kBarrierLine);
  CHECK(fault_of([] { run(some_return_early, 1, 9, 8); }) ==
        "block 0: not every thread comes to the barrier: threads 0-7 wait at __syncthreads (" + site +
            "), thread 8 returned");
  CHECK(fault_of([] { run(some_return_early, 1, 2, 1); }) ==
        "block 0: not every thread comes to the barrier: thread 0 waits at __syncthreads (" + site +
            "), thread 1 returned");

  // Since Volta a thread that has returned no longer counts. Who relies on it can say so.
  emulator::Emulation options;
  options.allow_early_exit = true;
  const emulator::UseEmulation use(options);
  CHECK(fault_of([] { run(some_return_early, 1, 9, 8); }) == "");
}

TEST_CASE("threads that wait at barriers on different lines are named with their lines") {
  CHECK(fault_of([] { run(two_barriers, 1, 8); }) ==
        "block 0: threads wait at different barriers: threads 0-2 wait at __syncthreads (" +
            line_of(__FILE__, kLowLine) + "), threads 3-7 wait at __syncthreads (" + line_of(__FILE__, kHighLine) +
            ")");
  emulator::Emulation options;
  options.allow_different_barriers = true;
  const emulator::UseEmulation use(options);
  CHECK(fault_of([] { run(two_barriers, 1, 8); }) == "");
}

TEST_CASE("a warp operation that waits for lanes at a barrier is a deadlock, and is told with masks and lines") {
  DeviceBuffer<int> out(8);
  CHECK(fault_of([&] { run(barrier_and_shuffle, 1, 8, out.ptr()); }) ==
        "block 0: nobody can go on: threads 0-4 wait at __shfl_sync with mask 0xffffffff (" +
            line_of(__FILE__, kWarpLine) + "), threads 5-7 wait at __syncthreads (" + line_of(__FILE__, kBlockLine) +
            ")");
}

TEST_CASE("a thread that comes to a barrier too often is found") {
  CHECK(fault_of([] { run(one_more_round, 1, 4); }) ==
        "block 0: not every thread comes to the barrier: threads 0-1 returned, thread 2 waits at __syncthreads (" +
            line_of(__FILE__, kRoundLine) + "), thread 3 returned");
}

TEST_CASE("what was written before a barrier is read after it") {
  DeviceBuffer<int> x(std::vector<int>{1, 2, 3, 4, 5, 6});
  run(reverse, 1, 6, x.ptr());
  CHECK(x.download() == std::vector<int>{6, 5, 4, 3, 2, 1});
}

TEST_CASE("a barrier counts predicates") {
  DeviceBuffer<int> out(1);
  run(count_even, 1, 7, out.ptr());
  CHECK(out.download()[0] == 401);
}

TEST_CASE("an exception of one thread stops the launch and comes out at the host") {
  for (const unsigned thrower : {0U, 17U, 39U}) {
    CHECK_THROWS_WITH(run(throws_in_thread, 2, 40, thrower), "from thread " + std::to_string(thrower));
  }
}

TEST_CASE("threads that wait when a launch fails are unwound") {
  int alive = 0;
  CHECK(fault_of([&] { run(objects_and_barrier, 1, 64, &alive, 63); }) != "");
  CHECK(alive == 0);
  CHECK(fault_of([&] { run(objects_and_barrier, 1, 64, &alive, 64); }) == "");
  CHECK(alive == 0);
}
