// Grids, blocks, threads, arguments, orders and streams.

#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::MisuseError;
using kvarium_test::fault_of;
using kvarium_test::run;

namespace {

__global__ void count_visits(gptr<int> visits) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  visits[thread] += 1;
}

__global__ void write_coordinates(gptr<unsigned> out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      100000 * blockIdx.z + 10000 * blockIdx.y + 1000 * blockIdx.x + 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
}

__global__ void scale(gptr<float> x, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  x[i] *= factor;
}

/// The order in which threads come by.
__global__ void take_numbers(gptr<int> next, gptr<int> number) { number[threadIdx.x] = atomicAdd(next, 1); }

/// Sums with a barrier between the steps: the result may not depend on the order.
__global__ void sum_block(gptr<const int> in, gptr<int> out) {
  SIMT_SHARED(int[64], partial);
  const unsigned t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) out[0] = partial[0];
}

DeviceBuffer<int> zeros(std::size_t count, const char* name = "buffer") {
  return DeviceBuffer<int>(std::vector<int>(count), name);
}

}  // namespace

TEST_CASE("every thread of every block runs exactly once, whatever the size of the block") {
  for (const unsigned threads : {1U, 31U, 32U, 33U, 48U, 1024U}) {
    INFO(threads << " threads");
    DeviceBuffer<int> visits = zeros(3 * threads);
    run(count_visits, 3, threads, visits.ptr());
    CHECK(visits.download() == std::vector<int>(3 * threads, 1));
  }
}

TEST_CASE("threads know their three coordinates, x running fastest") {
  DeviceBuffer<unsigned> out(24 * 8);
  run(write_coordinates, dim3(2, 2, 2), dim3(4, 3, 2), out.ptr());
  const std::vector<unsigned> values = out.download();
  CHECK(values[0] == 0);
  CHECK(values[1] == 1);
  CHECK(values[4] == 10);
  CHECK(values[12] == 100);
  CHECK(values[24] == 1000);
  CHECK(values.back() == 111123);
}

TEST_CASE("arguments are converted to the kernel's parameters") {
  DeviceBuffer<float> x(std::vector<float>{1, 2, 3, 4, 5});
  run(scale, 2, 4, x.ptr(), 2, 5);
  CHECK(x.download() == std::vector<float>{2, 4, 6, 8, 10});
}

TEST_CASE("threads can be run forwards, in reverse and shuffled") {
  const auto numbers = [](const emulator::Emulation& options) {
    const emulator::UseEmulation use(options);
    DeviceBuffer<int> next = zeros(1);
    DeviceBuffer<int> number(40);
    run(take_numbers, 1, 40, next.ptr(), number.ptr());
    return number.download();
  };
  std::vector<int> forwards(40);
  std::iota(forwards.begin(), forwards.end(), 0);
  CHECK(numbers({}) == forwards);
  CHECK(numbers({emulator::ThreadOrder::reverse}) == std::vector<int>(forwards.rbegin(), forwards.rend()));
  const std::vector<int> shuffled = numbers({emulator::ThreadOrder::shuffled, 7});
  CHECK(shuffled != forwards);
  CHECK(shuffled == numbers({emulator::ThreadOrder::shuffled, 7}));
  CHECK(shuffled != numbers({emulator::ThreadOrder::shuffled, 8}));
}

TEST_CASE("a kernel with its barriers gives one result in every order") {
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 1);
  const DeviceBuffer<int> device_in(in);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto order : kvarium_test::kOrders) {
      const emulator::UseEmulation use({order, seed});
      DeviceBuffer<int> out(1);
      run(sum_block, 1, 64, device_in.ptr(), out.ptr());
      CHECK(out.download()[0] == 64 * 65 / 2);
    }
  }
}

TEST_CASE("a launch beyond the limits of a device is refused before anything runs") {
  DeviceBuffer<int> visits = zeros(1);
  Stream stream;
  const auto refused = [&](dim3 grid, dim3 block, std::size_t shared_bytes) {
    try {
      launch(count_visits, grid, block, shared_bytes, stream, visits.ptr());
    } catch (const MisuseError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(1, 1025, 0) ==
        "cannot launch blocks of 1025 x 1 x 1 threads: a block has 1 to 1024, at most 64 of them in z");
  CHECK(refused(1, 0, 0) != "");
  CHECK(refused(1, dim3(1, 1, 65), 0) != "");
  CHECK(refused(0, 1, 0) ==
        "cannot launch a grid of 0 x 1 x 1 blocks: each size is at least 1, and at most 2147483647 in x, 65535 in y "
        "and z");
  CHECK(refused(dim3(1, 65536), 1, 0) != "");
  CHECK(refused(1, 1, 227 * 1024 + 1) == "cannot launch with 232449 bytes of shared memory: a block has 232448");
  CHECK(refused(1, 1, 227 * 1024) == "");
}

TEST_CASE("a stream does nothing until it is synchronized: who forgets to reads what was there before") {
  DeviceBuffer<int> visits = zeros(4);
  std::vector<int> seen(4, -1);
  Stream stream;
  launch(count_visits, 1, 4, 0, stream, visits.ptr());
  visits.download_async(stream, seen.data(), 4);
  CHECK(seen == std::vector<int>(4, -1));
  stream.synchronize();
  CHECK(seen == std::vector<int>(4, 1));
}

TEST_CASE("a stream that waits for an event sees what came before it, and not what came after") {
  DeviceBuffer<int> visits = zeros(1);
  int seen = -1;
  Stream producer, consumer;
  launch(count_visits, 1, 1, 0, producer, visits.ptr());
  const Event first = producer.record();
  launch(count_visits, 1, 1, 0, producer, visits.ptr());
  consumer.wait(first);
  visits.download_async(consumer, &seen, 1);
  consumer.synchronize();
  CHECK(seen == 1);
  CHECK(visits.download()[0] == 2);
}

TEST_CASE("a launch that fails takes the rest of its stream with it, and the next launch works") {
  DeviceBuffer<int> visits = zeros(4, "visits");
  Stream stream;
  launch(count_visits, 1, 8, 0, stream, visits.ptr());
  launch(count_visits, 1, 4, 0, stream, visits.ptr());
  CHECK(fault_of([&] { stream.synchronize(); }) != "");
  CHECK(visits.download() == std::vector<int>(4, 1));
  stream.synchronize();
  launch(count_visits, 1, 4, 0, stream, visits.ptr());
  CHECK(visits.download() == std::vector<int>(4, 2));
}

TEST_CASE("a thousand launches in a row use the same fibers") {
  DeviceBuffer<int> visits = zeros(64);
  for (int i = 0; i < 1000; ++i) run(count_visits, 1, 64, visits.ptr());
  CHECK(visits.download() == std::vector<int>(64, 1000));
}
