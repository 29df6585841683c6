// Shuffles, votes and reductions, and who may take part in them.

#include <string>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

constexpr unsigned kFull = 0xFFFFFFFFU;

__global__ void shuffles(gptr<int> out, int amount, int width) {
  const int lane = static_cast<int>(threadIdx.x);
  out[4 * lane + 0] = __shfl_sync(kFull, lane, amount, width);
  out[4 * lane + 1] = __shfl_up_sync(kFull, lane, static_cast<unsigned>(amount), width);
  out[4 * lane + 2] = __shfl_down_sync(kFull, lane, static_cast<unsigned>(amount), width);
  out[4 * lane + 3] = __shfl_xor_sync(kFull, lane, amount, width);
}

/// shfl.sync as the PTX ISA writes it: bits 0-4 of c are the clamp, bits 8-12 the mask of the segment.
int ptx_shuffle(int kind, int lane, int b, int width) {
  const int segment_mask = 32 - width;
  const int c = kind == 1 ? 0 : 31;
  const int max_lane = (lane & segment_mask) | (c & ~segment_mask);
  const int min_lane = lane & segment_mask;
  if (kind == 0) {
    const int j = min_lane | (b & ~segment_mask & 31);
    return j <= max_lane ? j : lane;
  }
  if (kind == 1) return lane - b >= max_lane ? lane - b : lane;
  if (kind == 2) return lane + b <= max_lane ? lane + b : lane;
  return (lane ^ b) <= max_lane ? lane ^ b : lane;
}

__global__ void votes(gptr<unsigned> out) {
  const unsigned lane = threadIdx.x;
  const unsigned ballot = __ballot_sync(kFull, lane % 3 == 0);
  const int any = __any_sync(kFull, lane == 31);
  const int all = __all_sync(kFull, lane != 31);
  if (lane == 0) {
    out[0] = ballot;
    out[1] = static_cast<unsigned>(10 * any + all);
  }
}

__global__ void reductions(gptr<int> out) {
  const int lane = static_cast<int>(threadIdx.x);
  const int sum = __reduce_add_sync(kFull, lane - 16);
  const int least = __reduce_min_sync(kFull, lane - 16);
  const int most = __reduce_max_sync(kFull, lane - 16);
  const unsigned bits = __reduce_or_sync(kFull, 1U << (threadIdx.x % 8)) + __reduce_and_sync(kFull, 0x100U) +
                        __reduce_xor_sync(kFull, 1U << 12U);
  if (lane != 7) return;
  out[0] = sum;
  out[1] = least;
  out[2] = most;
  out[3] = static_cast<int>(bits);
}

/// Both halves of the warp meet apart, at the same time.
__global__ void two_halves(gptr<int> out) {
  const unsigned half = threadIdx.x / 16 == 0 ? 0x0000FFFFU : 0xFFFF0000U;
  out[threadIdx.x] = __reduce_add_sync(half, static_cast<int>(threadIdx.x));
}

constexpr int kShuffleLine = __LINE__ + 2;
__global__ void shuffle_with(unsigned mask, int from, unsigned num_lanes) {
  if (threadIdx.x < num_lanes) __shfl_sync(mask, 1, from);
}

constexpr int kOverlapLine = __LINE__ + 3;
__global__ void overlapping() {
  if (threadIdx.x < 2) {
    __syncwarp(0x7U);
  } else {
    __syncwarp(0xCU);
  }
}

constexpr int kBallotLine = __LINE__ + 3;
__global__ void different_operations() {
  if (threadIdx.x == 0) {
    __ballot_sync(0x3U, 1);
  } else {
    __any_sync(0x3U, 1);
  }
}

constexpr int kWidthLine = __LINE__ + 1;
__global__ void odd_width() { __shfl_sync(kFull, 1, 0, 3); }

/// The lanes above the 20th return before; the others go on without them.
__global__ void early_exit(gptr<int> out, gptr<int> runs) {
  atomicAdd(runs, 1);
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __reduce_add_sync(kFull, 1);
}

/// What a lane holds in each step of a butterfly.
__global__ void butterfly(gptr<const float> in, gptr<float> steps) {
  float value = in[threadIdx.x];
  for (int step = 0; step < 5; ++step) {
    value += __shfl_xor_sync(kFull, value, 1 << step);
    steps[step * 32 + static_cast<int>(threadIdx.x)] = value;
  }
}

}  // namespace

TEST_CASE("walkthrough: a warp adds up 32 numbers in five shuffles") {
  // Every lane begins with its own number: lane i with i + 1.
  std::vector<float> numbers(32);
  for (int lane = 0; lane < 32; ++lane) numbers[static_cast<std::size_t>(lane)] = static_cast<float>(lane + 1);
  const DeviceBuffer<float> in(numbers);
  DeviceBuffer<float> out(std::size_t{5} * 32);
  run(butterfly, 1, 32, in.ptr(), out.ptr());
  const std::vector<float> steps = out.download();
  const auto held = [&](std::size_t step, std::size_t lane) { return steps[step * 32 + lane]; };

  // Step 1: neighbours exchange (lane xor 1). Lanes 0 and 1 both hold 1 + 2.
  CHECK(held(0, 0) == 3);
  CHECK(held(0, 1) == 3);
  CHECK(held(0, 2) == 7);
  // Step 2 (lane xor 2): groups of four hold 1 + 2 + 3 + 4.
  CHECK(held(1, 3) == 10);
  // Steps 3 and 4: groups of 8 and 16.
  CHECK(held(2, 0) == 36);
  CHECK(held(3, 0) == 136);
  CHECK(held(3, 31) == 32 * 33 / 2 - 136);
  // Step 5 (lane xor 16): every lane holds the sum of all, and none of it went through memory.
  for (std::size_t lane = 0; lane < 32; ++lane) CHECK(held(4, lane) == 32 * 33 / 2);
}

TEST_CASE("the four shuffles read from the lanes that PTX defines, for every width and amount") {
  for (int width = 1; width <= 32; width *= 2) {
    for (int amount = 0; amount < 32; ++amount) {
      DeviceBuffer<int> out(std::size_t{4} * 32);
      run(shuffles, 1, 32, out.ptr(), amount, width);
      const std::vector<int> got = out.download();
      std::vector<int> wanted(got.size());
      for (int lane = 0; lane < 32; ++lane) {
        for (int kind = 0; kind < 4; ++kind) {
          wanted[static_cast<std::size_t>(4 * lane + kind)] = ptx_shuffle(kind, lane, amount, width);
        }
      }
      INFO("width " << width << ", amount " << amount);
      CHECK(got == wanted);
    }
  }
}

TEST_CASE("votes and reductions") {
  DeviceBuffer<unsigned> ballot(2);
  run(votes, 1, 32, ballot.ptr());
  CHECK(ballot.download() == std::vector<unsigned>{0x49249249U, 10U});
  DeviceBuffer<int> out(4);
  run(reductions, 1, 32, out.ptr());
  CHECK(out.download() == std::vector<int>{-16, -16, 15, 0xFF + 0x100});
}

TEST_CASE("lanes with masks that have nothing in common meet apart") {
  DeviceBuffer<int> out(32);
  run(two_halves, 1, 32, out.ptr());
  CHECK(out.download()[0] == 15 * 16 / 2);
  CHECK(out.download()[31] == 31 * 32 / 2 - 15 * 16 / 2);
}

TEST_CASE("lanes that do not exist or have returned are not waited for") {
  DeviceBuffer<int> out(20);
  DeviceBuffer<int> runs(std::vector<int>{0});
  run(early_exit, 1, 32, out.ptr(), runs.ptr());
  CHECK(out.download() == std::vector<int>(20, 20));
  CHECK(runs.download()[0] == 32);
  DeviceBuffer<int> short_warp(20);
  run(early_exit, 1, 20, short_warp.ptr(), runs.ptr());
  CHECK(short_warp.download() == std::vector<int>(20, 20));
}

TEST_CASE("masks that cannot be right are told with thread, mask and line") {
  const std::string here = "(" + line_of(__FILE__, kShuffleLine) + ")";
  CHECK(fault_of([] { run(shuffle_with, 1, 32, 0xFFFFFFFEU, 1, 32U); }) ==
        "block 0, thread 0: __shfl_sync: lane 0 is not in its own mask 0xfffffffe " + here);
  CHECK(fault_of([] { run(shuffle_with, 1, 32, kFull, 9, 4U); }) ==
        "block 0, thread 31: __shfl_sync: lane 0 reads from lane 9, which takes no part (mask 0xffffffff, present "
        "0x0000000f) " +
            here);
  CHECK(fault_of([] { run(overlapping, 1, 4); }) ==
        "block 0, thread 2: calls __syncwarp with mask 0x0000000c, while thread 0 of its warp waits at __syncwarp "
        "with mask 0x00000007 (" +
            line_of(__FILE__, kOverlapLine) + ") (" + line_of(__FILE__, kOverlapLine + 2) + ")");
  CHECK(fault_of([] { run(different_operations, 1, 2); }) ==
        "block 0, thread 1: calls __any_sync with mask 0x00000003, while thread 0 of its warp waits at __ballot_sync "
        "with mask 0x00000003 (" +
            line_of(__FILE__, kBallotLine) + ") (" + line_of(__FILE__, kBallotLine + 2) + ")");
  CHECK(fault_of([] { run(odd_width, 1, 32); }) ==
        "block 0, thread 0: __shfl_sync: a width of 3, which is no power of two up to 32 (" +
            line_of(__FILE__, kWidthLine) + ")");
}
