// Two threads, one of them writes, and nothing orders them: found in shared memory even when the result is right.

#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "cuda/simt/numbers.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

constexpr int kWriteLine = __LINE__ + 5;
constexpr int kReadLine = __LINE__ + 6;
template <bool with_barrier>
__global__ void reverse(gptr<int> x) {
  SIMT_SHARED(int[64], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  if (with_barrier) __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

/// Within one warp. Shuffles are meetings too, but order no memory.
enum class Between { nothing, syncwarp, shuffle, half_syncwarp };
template <Between between>
__global__ void reverse_in_warp(gptr<int> x) {
  SIMT_SHARED(int[32], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  if (between == Between::syncwarp) __syncwarp();
  if (between == Between::shuffle) __shfl_sync(0xFFFFFFFFU, 1, 0);
  if (between == Between::half_syncwarp) __syncwarp(threadIdx.x < 16 ? 0x0000FFFFU : 0xFFFF0000U);
  x[threadIdx.x] = tile[31 - threadIdx.x];
}

/// Half a warp orders itself: reading the neighbour's number is right.
__global__ void neighbours_in_half(gptr<int> x) {
  SIMT_SHARED(int[32], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncwarp(threadIdx.x < 16 ? 0x0000FFFFU : 0xFFFF0000U);
  x[threadIdx.x] = tile[threadIdx.x ^ 1U];
}

/// Everybody reads, then one writes: with 64 readers the last of them alone cannot stand for all.
template <bool with_barrier>
__global__ void write_after_read(gptr<int> out) {
  SIMT_SHARED(int[1], shared);
  if (threadIdx.x == 0) shared[0] = 5;
  __syncthreads();
  out[threadIdx.x] = shared[0];
  if (with_barrier) __syncthreads();
  if (threadIdx.x == blockDim.x - 1) shared[0] = 6;
}

__global__ void both_write() {
  SIMT_SHARED(int[1], shared);
  shared[0] = 1;
}

__global__ void count_atomically(gptr<int> out) {
  SIMT_SHARED(int[1], counter);
  if (threadIdx.x == 0) counter[0] = 0;
  __syncthreads();
  atomicAdd(sptr<int>(counter), 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = counter[0];
}

__global__ void read_while_counting(gptr<int> out) {
  SIMT_SHARED(int[1], counter);
  if (threadIdx.x == 0) counter[0] = 0;
  __syncthreads();
  atomicAdd(sptr<int>(counter), 1);
  out[threadIdx.x] = counter[0];
}

/// Two halves of one word belong to two threads: no race.
__global__ void halves_of_a_word() {
  SIMT_SHARED(bf16[64], tile);
  tile[threadIdx.x] = bf16{0};
  SIMT_DYNAMIC_SHARED(unsigned, words);
  pointer_cast<std::uint8_t>(words)[threadIdx.x] = 1;
}

/// Accumulates with a barrier forgotten between the steps; threads of one warp, so that the order hides it.
__global__ void sum_without_syncwarp(gptr<const int> in, gptr<int> out) {
  SIMT_SHARED(int[32], partial);
  const unsigned t = threadIdx.x;
  partial[t] = in[t];
  __syncwarp();
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    int other = 0;
    if (t < stride) other = partial[t + stride];
    if (t < stride) partial[t] += other;
  }
  if (t == 0) out[0] = partial[0];
}

DeviceBuffer<int> some_numbers(std::size_t count) { return DeviceBuffer<int>(std::vector<int>(count, 7)); }

}  // namespace

TEST_CASE("a barrier that is missing between a write and a read is told with both lines") {
  DeviceBuffer<int> x = some_numbers(64);
  CHECK(fault_of([&] { run(reverse<true>, 1, 64, x.ptr()); }) == "");
  // Thread 32 is the first to read what another thread, 31, has written. (Threads 0 to 31 read what nobody has written
  // yet.)
  emulator::Emulation options;
  options.check_initialised = false;
  const emulator::UseEmulation use(options);
  CHECK(fault_of([&] { run(reverse<false>, 1, 64, x.ptr()); }) ==
        "block 0, thread 32: race: writes element 32 of tile, which thread 31 read (" + line_of(__FILE__, kReadLine) +
            ") with no barrier in between (" + line_of(__FILE__, kWriteLine) + ")");
}

TEST_CASE("only __syncwarp orders the memory of a warp: a shuffle does not") {
  DeviceBuffer<int> x = some_numbers(32);
  CHECK(fault_of([&] { run(reverse_in_warp<Between::syncwarp>, 1, 32, x.ptr()); }) == "");
  for (const auto& kernel : {reverse_in_warp<Between::nothing>, reverse_in_warp<Between::shuffle>,
                             reverse_in_warp<Between::half_syncwarp>}) {
    emulator::Emulation options;
    options.check_initialised = false;
    const emulator::UseEmulation use(options);
    CHECK(fault_of([&] { run(kernel, 1, 32, x.ptr()); }).find("race: ") != std::string::npos);
  }
  CHECK(fault_of([&] { run(neighbours_in_half, 1, 32, x.ptr()); }) == "");
}

TEST_CASE("a write after the reads of others is found, whoever of them comes first") {
  for (const auto order : kvarium_test::kOrders) {
    for (const unsigned threads : {2U, 32U, 64U}) {
      const emulator::UseEmulation use({order, 3});
      DeviceBuffer<int> out = some_numbers(64);
      CHECK(fault_of([&] { run(write_after_read<true>, 1, threads, out.ptr()); }) == "");
      CHECK(fault_of([&] { run(write_after_read<false>, 1, threads, out.ptr()); }).find("race: ") != std::string::npos);
    }
  }
}

TEST_CASE("two writes of the same value are a race") {
  CHECK(fault_of([] { run(both_write, 1, 1); }) == "");
  CHECK(fault_of([] { run(both_write, 1, 2); }).find("race: writes element 0 of shared, which thread 0 wrote") !=
        std::string::npos);
}

TEST_CASE("atomic operations do not race with each other, but with a plain read") {
  DeviceBuffer<int> out = some_numbers(64);
  CHECK(fault_of([&] { run(count_atomically, 1, 64, out.ptr()); }) == "");
  CHECK(out.download()[0] == 64);
  CHECK(fault_of([&] { run(read_while_counting, 1, 64, out.ptr()); }).find("race: atomically changes") !=
        std::string::npos);
}

TEST_CASE("threads may share a word when each has its own bytes of it") {
  Stream stream;
  launch(halves_of_a_word, 1, 64, 64, stream);
  CHECK(fault_of([&] { stream.synchronize(); }) == "");
}

TEST_CASE("code that relies on the lockstep of a warp is found in some order") {
  const DeviceBuffer<int> in(std::vector<int>(32, 1));
  DeviceBuffer<int> out(1);
  CHECK(fault_of([&] { run(sum_without_syncwarp, 1, 32, in.ptr(), out.ptr()); }).find("race: ") != std::string::npos);
}

TEST_CASE("blocks do not race with each other in their own shared memory") {
  DeviceBuffer<int> x = some_numbers(64);
  CHECK(fault_of([&] { run(both_write, 3, 1); }) == "");
}
