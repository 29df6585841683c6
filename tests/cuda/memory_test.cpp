// Accesses that the emulator does not let pass.

#include <string>
#include <vector>

#include "core/error.h"
#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::MisuseError;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

struct alignas(16) Four {
  float x, y, z, w;
};

constexpr int kReadLine = __LINE__ + 2;
__global__ void copy_element(gptr<const float> in, gptr<float> out, int from, int to) {
  const float value = in[from];
  out[to] = value;
}

constexpr int kVectorLine = __LINE__ + 2;
__global__ void copy_four(gptr<const float> in, gptr<float> out, int from) {
  const Four four = load_vec<Four>(in + from);
  store_vec(out, four);
}

constexpr int kSharedLine = __LINE__ + 4;
__global__ void shared_index(gptr<float> out, int row, int column) {
  SIMT_SHARED(float[4][3], tile);
  for (int i = 0; i < 12; ++i) tile[i / 3][i % 3] = static_cast<float>(i);
  out[0] = tile[row][column];
}

constexpr int kStaleLine = __LINE__ + 4;
__global__ void stale_shared(gptr<float> out) {
  SIMT_SHARED(float[4], tile);
  if (blockIdx.x == 0) tile[0] = 1.0F;
  out[blockIdx.x] = tile[0];
}

constexpr int kDynamicLine = __LINE__ + 4;
__global__ void through_pointer(gptr<float> out, int count) {
  SIMT_DYNAMIC_SHARED(float, scratch);
  sptr<float> end = scratch + count;
  for (int i = 0; i < count; ++i) scratch[i] = static_cast<float>(i);
  end -= 1;
  out[0] = end[0];
}

__global__ void too_much_shared() {
  SIMT_SHARED(float[8192], first);
  SIMT_SHARED(float[8192], second);
  first[0] = 0.0F;
  second[0] = 0.0F;
}

__global__ void increment(gptr<int> counters) {
  atomicAdd(counters, 1);
  atomicMax(counters + 1, static_cast<int>(threadIdx.x));
  atomicMin(counters + 2, static_cast<int>(threadIdx.x));
  atomicCAS(counters + 3, 5, 6);
  atomicExch(counters + 4, 9);
}

std::string misuse_of(const DeviceBuffer<float>& buffer, std::size_t count) {
  std::vector<float> to(count);
  try {
    buffer.download(to.data(), count);
  } catch (const MisuseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an access outside of its buffer names buffer, element, thread and line") {
  const DeviceBuffer<float> in(std::vector<float>(8, 1.0F), "in");
  DeviceBuffer<float> out(4, "out");
  const auto copy = [&](int from, int to) {
    return fault_of([&] { run(copy_element, 1, 1, in.ptr(), out.ptr(), from, to); });
  };
  CHECK(copy(7, 3) == "");
  CHECK(copy(8, 0) == "block 0, thread 0: reads element 8 of in, which has 8 (" + line_of(__FILE__, kReadLine) + ")");
  CHECK(copy(-1, 0) == "block 0, thread 0: reads element -1 of in, which has 8 (" + line_of(__FILE__, kReadLine) + ")");
  CHECK(copy(0, 4) ==
        "block 0, thread 0: writes element 4 of out, which has 4 (" + line_of(__FILE__, kReadLine + 1) + ")");
  CHECK(fault_of([&] { run(copy_element, 1, 1, gptr<const float>(), out.ptr(), 0, 0); }) ==
        "block 0, thread 0: reads through a null pointer (" + line_of(__FILE__, kReadLine) + ")");
}

TEST_CASE("a vector access must lie on a multiple of its size, and inside as a whole") {
  const DeviceBuffer<float> in(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "in");
  DeviceBuffer<float> out(4, "out");
  const auto copy = [&](int from) { return fault_of([&] { run(copy_four, 1, 1, in.ptr(), out.ptr(), from); }); };
  const std::string here = " (" + line_of(__FILE__, kVectorLine) + ")";
  CHECK(copy(4) == "");
  CHECK(out.download() == std::vector<float>{4, 5, 6, 7});
  CHECK(copy(2) ==
        "block 0, thread 0: reads 16 bytes at once from element 2 of in, whose address is no multiple of 16" + here);
  CHECK(copy(8) == "block 0, thread 0: reads element 8 of in, which has 10" + here);
}

TEST_CASE("what nobody wrote cannot be read, on the device or in shared memory") {
  DeviceBuffer<float> in(2, "in");
  DeviceBuffer<float> out(2, "out");
  CHECK(fault_of([&] { run(copy_element, 1, 1, in.ptr(), out.ptr(), 1, 0); }) ==
        "block 0, thread 0: reads element 1 of in, where nothing was written (" + line_of(__FILE__, kReadLine) + ")");
  CHECK(fault_of([&] { run(stale_shared, 2, 1, out.ptr()); }) ==
        "block 1, thread 0: reads element 0 of tile, where nothing was written (" + line_of(__FILE__, kStaleLine) +
            ")");
  Stream stream;
  in.zero(stream);
  stream.synchronize();
  CHECK(fault_of([&] { run(copy_element, 1, 1, in.ptr(), out.ptr(), 1, 0); }) == "");
}

TEST_CASE("without the check, memory that was not written holds NaN") {
  emulator::Emulation options;
  options.check_initialised = false;
  const emulator::UseEmulation use(options);
  DeviceBuffer<float> out(2, "out");
  run(stale_shared, 2, 1, out.ptr());
  CHECK(out.download()[0] == 1.0F);
  CHECK(out.download()[1] != out.download()[1]);
}

TEST_CASE("each index of a shared array is checked, not only the place it leads to") {
  DeviceBuffer<float> out(1);
  const auto read = [&](int row, int column) {
    return fault_of([&] { run(shared_index, 1, 1, out.ptr(), row, column); });
  };
  CHECK(read(3, 2) == "");
  CHECK(out.download()[0] == 11.0F);
  CHECK(read(2, 3) ==
        "block 0, thread 0: index 3 of tile, where 3 are declared (" + line_of(__FILE__, kSharedLine) + ")");
  CHECK(read(4, 0) ==
        "block 0, thread 0: index 4 of tile, where 4 are declared (" + line_of(__FILE__, kSharedLine) + ")");
  CHECK(read(0, -1) ==
        "block 0, thread 0: index -1 of tile, where 3 are declared (" + line_of(__FILE__, kSharedLine) + ")");
}

TEST_CASE("dynamic shared memory has the size of the launch") {
  DeviceBuffer<float> out(1);
  Stream stream;
  launch(through_pointer, 1, 1, 5 * sizeof(float), stream, out.ptr(), 5);
  stream.synchronize();
  CHECK(out.download()[0] == 4.0F);
  launch(through_pointer, 1, 1, 5 * sizeof(float), stream, out.ptr(), 6);
  CHECK(fault_of([&] { stream.synchronize(); }) ==
        "block 0, thread 0: writes element 5 of scratch, which has 5 (" + line_of(__FILE__, kDynamicLine) + ")");
}

TEST_CASE("a block cannot have more shared memory than a device gives it") {
  CHECK(fault_of([] { run(too_much_shared, 1, 1); }) ==
        "with second a block uses 65536 bytes of static and 0 of dynamic shared memory; the most are 49152 and 232448 "
        "in all");
}

TEST_CASE("atomic operations give every thread its turn") {
  DeviceBuffer<int> counters(std::vector<int>{0, 0, 99, 5, 0});
  run(increment, 3, 40, counters.ptr());
  CHECK(counters.download() == std::vector<int>{120, 39, 0, 6, 9});
}

TEST_CASE("the host reaches device memory through copies that fit, and not directly") {
  DeviceBuffer<float> buffer(std::vector<float>{1, 2}, "buffer");
  CHECK(fault_of([&] { buffer.ptr()[0] = 1.0F; }).find("the host writes buffer, which is memory of the device") == 0);
  CHECK(misuse_of(buffer, 2) == "");
  CHECK(misuse_of(buffer, 3) == "a copy reads bytes 0 to 12 of buffer, which has 8");
}

TEST_CASE("device memory that runs out is told, and nothing is lost") {
  const std::size_t before = device_bytes_in_use();
  set_device_bytes(before + 100);
  {
    const DeviceBuffer<float> first(20);
    CHECK_THROWS_WITH(DeviceBuffer<float>(20, "second"), "out of device memory: second needs 80 bytes, 20 of " +
                                                             std::to_string(before + 100) + " are free");
    CHECK(device_bytes_in_use() == before + 80);
    CHECK_THROWS_AS(DeviceBuffer<double>(~std::size_t{0} / 4), OutOfDeviceMemory);
  }
  CHECK(device_bytes_in_use() == before);
  CHECK_NOTHROW(DeviceBuffer<float>(20));
  set_device_bytes(~std::size_t{0});
}
