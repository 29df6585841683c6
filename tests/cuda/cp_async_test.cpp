// Asynchronous copies: a wait that is missing or too weak, a stage that is used again too early.

#include "cuda/simt/cp_async.h"

#include <numeric>
#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::CopyTime;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

/// What is wrong with the pipeline below.
enum class Mistake { none, weak_wait, no_barrier_after_wait, stage_reused_too_early };

constexpr int kTile = 128;  ///< numbers a stage: 32 threads copy 4 each
constexpr int kCopyLine = __LINE__ + 3;
/// Begins the copy of a tile into its stage. One group each.
__device__ void copy_tile(const sptr<float>& stages, const gptr<const float>& in, int tile) {
  cp_async16(stages + (tile % 2 * kTile + 4 * static_cast<int>(threadIdx.x)),
             in + (tile * kTile + 4 * static_cast<int>(threadIdx.x)));
  cp_async_commit();
}

/// Adds up tiles, reading each in the order opposite to that in which it was copied, while the next one is copied.
constexpr int kReadLine = __LINE__ + 13;
template <Mistake mistake>
__global__ void add_tiles(gptr<const float> in, gptr<float> out, int tiles) {
  SIMT_SHARED(float[2 * kTile], stages);
  float sum = 0;
  copy_tile(stages, in, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) copy_tile(stages, in, tile + 1);
    if (tile + 1 < tiles && mistake != Mistake::weak_wait) cp_async_wait<1>();
    if (tile + 1 < tiles && mistake == Mistake::weak_wait) cp_async_wait<2>();
    if (tile + 1 == tiles) cp_async_wait<0>();
    if (mistake != Mistake::no_barrier_after_wait) __syncthreads();
    for (int i = 0; i < 4; ++i) {
      sum += stages[tile % 2 * kTile + kTile - 1 - 4 * static_cast<int>(threadIdx.x) - i];
    }
    if (mistake != Mistake::stage_reused_too_early) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

std::vector<float> numbers(int tiles) {
  std::vector<float> all(static_cast<std::size_t>(tiles) * kTile);
  std::iota(all.begin(), all.end(), 0.0F);
  return all;
}

/// The sum over all threads, or the fault.
template <Mistake mistake>
std::string result(const emulator::Emulation& options) {
  const emulator::UseEmulation use(options);
  const DeviceBuffer<float> in(numbers(4));
  DeviceBuffer<float> out(32);
  const std::string fault = fault_of([&] { run(add_tiles<mistake>, 1, 32, in.ptr(), out.ptr(), 4); });
  if (!fault.empty()) return fault;
  const std::vector<float> sums = out.download();
  return std::to_string(static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0.0F)));
}

constexpr int kRightSum = 512 * 511 / 2;

emulator::Emulation checked(CopyTime copies) {
  emulator::Emulation options;
  options.copies = copies;
  return options;
}

/// Only results tell.
emulator::Emulation unchecked(CopyTime copies) {
  emulator::Emulation options;
  options.copies = copies;
  options.check_races = false;
  options.check_initialised = false;
  return options;
}

__global__ void copy_part(gptr<const float> in, gptr<float> out, int bytes) {
  SIMT_SHARED(float[4], tile);
  cp_async16(sptr<float>(tile), in, bytes);
  cp_async_commit();
  cp_async_wait<0>();
  for (int i = 0; i < 4; ++i) out[i] = tile[i];
}

}  // namespace

TEST_CASE("a pipeline of two stages is right, whenever its copies land") {
  for (const CopyTime time : {CopyTime::lazy, CopyTime::eager}) {
    CHECK(result<Mistake::none>(checked(time)) == std::to_string(kRightSum));
    CHECK(result<Mistake::none>(unchecked(time)) == std::to_string(kRightSum));
  }
}

TEST_CASE("a wait that is too weak is found, with the line of the copy") {
  for (const CopyTime time : {CopyTime::lazy, CopyTime::eager}) {
    CHECK(result<Mistake::weak_wait>(checked(time)) ==
          "block 0, thread 0: reads element 127 of stages, to which thread 31 copies (" + line_of(__FILE__, kCopyLine) +
              ") and has not waited for it (" + line_of(__FILE__, kReadLine) + ")");
  }
  // Without the check: bytes that land late give a wrong sum; bytes that land at once hide the mistake.
  CHECK(result<Mistake::weak_wait>(unchecked(CopyTime::lazy)) != std::to_string(kRightSum));
}

TEST_CASE("a copy is seen by others only after a barrier") {
  for (const CopyTime time : {CopyTime::lazy, CopyTime::eager}) {
    // Thread 0 comes first, and the others have not copied anything yet.
    CHECK(result<Mistake::no_barrier_after_wait>(checked(time)) ==
          "block 0, thread 0: reads element 127 of stages, where nothing was written (" + line_of(__FILE__, kReadLine) +
              ")");
  }
  CHECK(result<Mistake::no_barrier_after_wait>(unchecked(CopyTime::lazy)) != std::to_string(kRightSum));
}

TEST_CASE("a stage that is used again while others still read it is found, also when late copies hide it") {
  for (const CopyTime time : {CopyTime::lazy, CopyTime::eager}) {
    // Thread 15 has read the first tile and copies the third into its stage, where thread 16 still reads the first.
    CHECK(result<Mistake::stage_reused_too_early>(checked(time)) ==
          "block 0, thread 16: reads element 63 of stages, to which thread 15 copies (" + line_of(__FILE__, kCopyLine) +
              ") and has not waited for it (" + line_of(__FILE__, kReadLine) + ")");
  }
  CHECK(result<Mistake::stage_reused_too_early>(unchecked(CopyTime::lazy)) == std::to_string(kRightSum));
  CHECK(result<Mistake::stage_reused_too_early>(unchecked(CopyTime::eager)) != std::to_string(kRightSum));
}

TEST_CASE("a copy of fewer bytes fills up with zeros, and reads no further") {
  const DeviceBuffer<float> in(std::vector<float>{1, 2}, "in");
  DeviceBuffer<float> out(4);
  run(copy_part, 1, 1, in.ptr(), out.ptr(), 8);
  CHECK(out.download() == std::vector<float>{1, 2, 0, 0});
  run(copy_part, 1, 1, in.ptr(), out.ptr(), 0);
  CHECK(out.download() == std::vector<float>{0, 0, 0, 0});
  CHECK(fault_of([&] { run(copy_part, 1, 1, in.ptr(), out.ptr(), 16); }).find("reads element 0 of in, which has 2") !=
        std::string::npos);
}

TEST_CASE(
    "every line of the pipeline that orders memory is needed: left out or weakened, each is noticed in every order") {
  std::vector<emulator::Site> orderings;
  emulator::Emulation options;
  options.orderings = &orderings;
  CHECK(result<Mistake::none>(options) == std::to_string(kRightSum));
  REQUIRE(orderings.size() == 4);  // two waits, two barriers
  for (const emulator::Site& line : orderings) {
    for (const CopyTime time : {CopyTime::lazy, CopyTime::eager}) {
      for (const auto order : kvarium_test::kOrders) {
        emulator::Emulation mutant = checked(time);
        mutant.order = order;
        mutant.without = line;
        INFO(emulator::text_of(line));
        CHECK(result<Mistake::none>(mutant).find("block 0, thread ") == 0);
      }
    }
  }
}
