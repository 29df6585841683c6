// ThreadSanitizer as the race checker of kernels: right kernels are silent, and each seeded mistake is reported, also
// those that do not change the result.

#include <vector>

#include "cuda/simt/cp_async.h"
#include "cuda/simt/mma.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/tsan/launched.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::CopyTime;
using kvarium_test::run;

namespace {

template <bool with_barrier>
__global__ void reverse(gptr<int> x) {
  SIMT_SHARED(int[64], tile);
  tile[threadIdx.x] = x[threadIdx.x + 64 * blockIdx.x];
  if (with_barrier) __syncthreads();
  x[threadIdx.x + 64 * blockIdx.x] = tile[63 - threadIdx.x];
}

enum class Between { nothing, syncwarp, shuffle };
template <Between between>
__global__ void reverse_in_warp(gptr<int> x) {
  SIMT_SHARED(int[32], tile);
  tile[threadIdx.x] = x[threadIdx.x];
  if (between == Between::syncwarp) __syncwarp();
  if (between == Between::shuffle) __shfl_sync(0xFFFFFFFFU, 1, 0);
  x[threadIdx.x] = tile[31 - threadIdx.x];
}

/// All blocks count in one place of global memory.
template <bool atomic>
__global__ void count_threads(gptr<int> counter) {
  if (atomic) {
    atomicAdd(counter, 1);
  } else {
    counter[0] += 1;
  }
}

enum class Mistake { none, no_barrier_after_wait, stage_reused_too_early };

/// Two stages, filled by asynchronous copies.
template <Mistake mistake>
__global__ void add_tiles(gptr<const float> in, gptr<float> out, int tiles) {
  SIMT_SHARED(float[2][128], stages);
  const int t = static_cast<int>(threadIdx.x);
  const auto copy = [&](int tile) {
    cp_async16(sptr<float>(stages[tile % 2]) + 4 * t, in + (tile * 128 + 4 * t));
    cp_async_commit();
  };
  float sum = 0;
  copy(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) copy(tile + 1);
    if (tile + 1 < tiles) {
      cp_async_wait<1>();
    } else {
      cp_async_wait<0>();
    }
    if (mistake != Mistake::no_barrier_after_wait) __syncthreads();
    for (int i = 0; i < 4; ++i) sum += stages[tile % 2][127 - 4 * t - i];
    if (mistake != Mistake::stage_reused_too_early) __syncthreads();
  }
  out[t] = sum;
}

template <bool with_syncwarp>
__global__ void load_matrix(gptr<std::uint32_t> out) {
  SIMT_SHARED(f16[32][8], tile);
  for (int i = 0; i < 8; ++i) tile[threadIdx.x][i] = f16{static_cast<std::uint16_t>(i)};
  if (with_syncwarp) __syncwarp();
  std::uint32_t registers[4];
  ldmatrix_x4<false>(registers, sptr<f16>(tile[31 - threadIdx.x]));
  out[threadIdx.x] = registers[0];
}

template <typename Kernel, typename... Arguments>
int reports_of(CopyTime copies, Kernel kernel, dim3 grid, dim3 block, Arguments&&... arguments) {
  emulator::Emulation options;
  options.copies = copies;
  return kvarium_test::reports_of(options, [&] { run(kernel, grid, block, std::forward<Arguments>(arguments)...); });
}

DeviceBuffer<int> numbers(std::size_t count) { return DeviceBuffer<int>(std::vector<int>(count, 7)); }

}  // namespace

TEST_CASE("ThreadSanitizer: a barrier orders what is written before it and read after it") {
  DeviceBuffer<int> x = numbers(std::size_t{5} * 64);
  CHECK(reports_of(CopyTime::lazy, reverse<true>, 5, 64, x.ptr()) == 0);
  CHECK(reports_of(CopyTime::lazy, reverse<true>, 5, 64, x.ptr()) == 0);
  CHECK(reports_of(CopyTime::lazy, reverse<false>, 1, 64, x.ptr()) > 0);
}

TEST_CASE("ThreadSanitizer: __syncwarp orders a warp, a shuffle does not") {
  DeviceBuffer<int> x = numbers(32);
  CHECK(reports_of(CopyTime::lazy, reverse_in_warp<Between::syncwarp>, 1, 32, x.ptr()) == 0);
  CHECK(reports_of(CopyTime::lazy, reverse_in_warp<Between::shuffle>, 1, 32, x.ptr()) > 0);
  CHECK(reports_of(CopyTime::lazy, reverse_in_warp<Between::nothing>, 1, 32, x.ptr()) > 0);
}

TEST_CASE("ThreadSanitizer: blocks race in global memory, unless they count atomically") {
  DeviceBuffer<int> counter = numbers(1);
  CHECK(reports_of(CopyTime::lazy, count_threads<true>, 4, 32, counter.ptr()) == 0);
  CHECK(reports_of(CopyTime::lazy, count_threads<false>, 4, 1, counter.ptr()) > 0);
}

TEST_CASE("ThreadSanitizer: asynchronous copies, whenever they land") {
  const DeviceBuffer<float> in(std::vector<float>(512, 1.0F));
  DeviceBuffer<float> out(32);
  const auto reports = [&](CopyTime time, const auto& kernel) {
    return reports_of(time, kernel, 1, 32, in.ptr(), out.ptr(), 4);
  };
  CHECK(reports(CopyTime::lazy, add_tiles<Mistake::none>) == 0);
  CHECK(reports(CopyTime::eager, add_tiles<Mistake::none>) == 0);
  CHECK(out.download() == std::vector<float>(32, 16.0F));
  CHECK(reports(CopyTime::lazy, add_tiles<Mistake::no_barrier_after_wait>) > 0);
  CHECK(reports(CopyTime::lazy, add_tiles<Mistake::stage_reused_too_early>) > 0);
}

TEST_CASE("ThreadSanitizer: ldmatrix reads what other lanes wrote") {
  DeviceBuffer<std::uint32_t> out(32);
  CHECK(reports_of(CopyTime::lazy, load_matrix<true>, 1, 32, out.ptr()) == 0);
  CHECK(reports_of(CopyTime::lazy, load_matrix<false>, 1, 32, out.ptr()) > 0);
}
