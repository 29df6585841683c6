// Sectors of global memory and wavefronts of shared memory, counted by line.

#include "cuda/simt/emulator/access_log.h"

#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "cuda/simt/vectors.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::AccessLog;
using emulator::LineCount;
using kvarium_test::run;

namespace {

__global__ void read_strided(gptr<const float> in, gptr<float> out, int stride) {
  out[threadIdx.x] = in[static_cast<int>(threadIdx.x) * stride];
}

__global__ void read_vectors(gptr<const float> in, gptr<float> out) {
  const float4 four = load_vec<float4>(in + 4 * threadIdx.x);
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

/// Writes rows, reads columns: with 32 numbers a row all lanes want one bank; with 33 each its own.
template <int padding>
__global__ void transpose(gptr<float> x) {
  SIMT_SHARED(float[32][32 + padding], tile);
  const unsigned t = threadIdx.x;
  for (int row = 0; row < 32; ++row) tile[row][t] = x[32 * row + static_cast<int>(t)];
  __syncwarp();
  for (int row = 0; row < 32; ++row) x[32 * row + static_cast<int>(t)] = tile[t][row];
}

__global__ void shared_vectors(gptr<float> out) {
  SIMT_SHARED(float[128], tile);
  const sptr<float> mine = sptr<float>(tile) + 4 * threadIdx.x;
  store_vec(mine, float4{1, 2, 3, 4});
  out[threadIdx.x] = tile[4 * threadIdx.x];
}

/// "load global in: 1 request, 128 bytes, 4 sectors of 4"
std::string shown(const LineCount& line) {
  const bool is_global = line.space == emulator::Space::global;
  return std::string(line.access == emulator::Access::load ? "load " : "store ") + line.region + ": " +
         std::to_string(line.requests) + " requests, " + std::to_string(line.bytes) + " bytes, " +
         std::to_string(line.answers) + (is_global ? " sectors, " : " wavefronts, ") +
         std::to_string(line.fewest_answers) + " would do";
}

template <typename Work>
std::vector<std::string> lines_of(const Work& work) {
  AccessLog log;
  emulator::Emulation options;
  options.log = &log;
  const emulator::UseEmulation use(options);
  work();
  std::vector<std::string> lines;
  for (const LineCount& line : log.lines()) lines.push_back(shown(line));
  return lines;
}

std::vector<std::string> strided(int stride) {
  const DeviceBuffer<float> in(std::vector<float>(1024, 1.0F), "in");
  DeviceBuffer<float> out(32, "out");
  return lines_of([&] { run(read_strided, 1, 32, in.ptr(), out.ptr(), stride); });
}

template <int padding>
std::vector<std::string> transposed() {
  DeviceBuffer<float> x(std::vector<float>(1024, 1.0F), "x");
  return lines_of([&] { run(transpose<padding>, 1, 32, x.ptr()); });
}

}  // namespace

TEST_CASE("neighbouring lanes that read neighbouring numbers need the fewest sectors") {
  CHECK(strided(1)[0] == "load in: 1 requests, 128 bytes, 4 sectors, 4 would do");
  CHECK(strided(2)[0] == "load in: 1 requests, 128 bytes, 8 sectors, 4 would do");
  CHECK(strided(8)[0] == "load in: 1 requests, 128 bytes, 32 sectors, 4 would do");
  CHECK(strided(0)[0] == "load in: 1 requests, 128 bytes, 1 sectors, 1 would do");
  CHECK(strided(8)[1] == "store out: 1 requests, 128 bytes, 4 sectors, 4 would do");
}

TEST_CASE("a vector load asks for four times as much in one request") {
  const DeviceBuffer<float> in(std::vector<float>(128, 1.0F), "in");
  DeviceBuffer<float> out(32, "out");
  CHECK(lines_of([&] { run(read_vectors, 1, 32, in.ptr(), out.ptr()); })[0] ==
        "load in: 1 requests, 512 bytes, 16 sectors, 16 would do");
}

TEST_CASE("a column of a shared tile hits one bank 32 times, unless its rows are padded") {
  CHECK(transposed<0>() == std::vector<std::string>{"load x: 32 requests, 4096 bytes, 128 sectors, 128 would do",
                                                    "store tile: 32 requests, 4096 bytes, 32 wavefronts, 32 would do",
                                                    "load tile: 32 requests, 4096 bytes, 1024 wavefronts, 32 would do",
                                                    "store x: 32 requests, 4096 bytes, 128 sectors, 128 would do"});
  CHECK(transposed<1>()[2] == "load tile: 32 requests, 4096 bytes, 32 wavefronts, 32 would do");
}

TEST_CASE("shared vectors of 16 bytes are answered a quarter of a warp at a time") {
  DeviceBuffer<float> out(32, "out");
  const std::vector<std::string> lines = lines_of([&] { run(shared_vectors, 1, 32, out.ptr()); });
  CHECK(lines[0] == "store tile: 1 requests, 512 bytes, 4 wavefronts, 4 would do");
  CHECK(lines[1] == "load tile: 1 requests, 128 bytes, 4 wavefronts, 1 would do");
}

TEST_CASE("requests can be kept, lane by lane") {
  AccessLog log(true);
  emulator::Emulation options;
  options.log = &log;
  const emulator::UseEmulation use(options);
  const DeviceBuffer<float> in(std::vector<float>(1024, 1.0F), "in");
  DeviceBuffer<float> out(40, "out");
  run(read_strided, 1, 40, in.ptr(), out.ptr(), 3);
  REQUIRE(log.requests().size() == 4);  // two warps, a load and a store each
  CHECK(log.requests()[0].lanes.size() == 32);
  CHECK(log.requests()[0].lanes[5].offset == 5 * 3 * sizeof(float));
  CHECK(log.requests()[1].warp == 1);
  CHECK(log.requests()[1].lanes.size() == 8);
}
