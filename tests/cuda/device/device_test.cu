// The kernels on a real device, against loops in double: no test framework, so that it builds wherever nvcc is (and for
// the emulator wherever nvcc is not). Exit
// code 0: all right, 1: something is wrong, 77: there is no device to run on.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/store_kv.cuh"
#include "tests/cuda/device/expect.h"
#include "tests/cuda/device/matrix_product.cuh"
#include "tests/cuda/kernels/rms_norm_problem.h"

namespace {
int num_wrong = 0;
}

void kvarium_test::expect(bool is_right, const std::string& what) {
  std::printf("%s %s\n", is_right ? "ok   " : "WRONG", what.c_str());
  num_wrong += is_right ? 0 : 1;
}

namespace {

using namespace kvarium::cuda;
using kvarium::KvLayout;
using kvarium_test::expect;
using kvarium_test::random_numbers;

template <typename T>
void check_rms_norm(const std::string& type) {
  for (const int width : {64, 288, 4096}) {
    const kvarium_test::RmsNormProblem<T> problem(130, width);
    for (const RmsNormRung rung :
         {RmsNormRung::thread_a_token, RmsNormRung::warp_a_token, RmsNormRung::block_a_token}) {
      if (rung == RmsNormRung::block_a_token && !fits_block<T>(width)) continue;
      const double error = problem.error(problem.run(rung));
      expect(error <= problem.tolerance(), "rms_norm " + type + ", width " + std::to_string(width) + ", rung " +
                                               std::to_string(static_cast<int>(rung)) + ": error " +
                                               std::to_string(error * 1e6) + "e-6, tolerance " +
                                               std::to_string(problem.tolerance() * 1e6) + "e-6");
    }
  }
}

template <typename T>
void check_store_kv(const std::string& type) {
  const KvLayout layout{16, 2, 64};
  const std::vector<long long> slots = {17, 3, kNoSlot, 40, 0};
  const std::size_t width = layout.token_stride();
  const std::vector<T> keys = random_numbers<T>(slots.size() * width, 3),
                       values = random_numbers<T>(slots.size() * width, 4);
  for (const StoreKvRung rung : {StoreKvRung::numbers, StoreKvRung::packs}) {
    DeviceBuffer<T> keys_device(keys), values_device(values), key_cache(3 * layout.block_stride()),
        value_cache(3 * layout.block_stride());
    DeviceBuffer<long long> slots_device(slots);
    Stream stream;
    key_cache.zero(stream);
    value_cache.zero(stream);
    store_kv<T>(rung, stream,
                {keys_device.ptr(), values_device.ptr(), slots_device.ptr(), key_cache.ptr(), value_cache.ptr()},
                static_cast<int>(slots.size()), layout);
    std::vector<T> wanted_keys(key_cache.size(), T{}), wanted_values(value_cache.size(), T{});
    for (std::size_t t = 0; t < slots.size(); ++t) {
      if (slots[t] == kNoSlot) continue;
      const std::size_t to = static_cast<std::size_t>(slots[t]) * width;
      std::memcpy(&wanted_keys[to], &keys[t * width], width * sizeof(T));
      std::memcpy(&wanted_values[to], &values[t * width], width * sizeof(T));
    }
    const std::vector<T> got_keys = key_cache.download(), got_values = value_cache.download();
    expect(std::memcmp(got_keys.data(), wanted_keys.data(), got_keys.size() * sizeof(T)) == 0 &&
               std::memcmp(got_values.data(), wanted_values.data(), got_values.size() * sizeof(T)) == 0,
           "store_kv " + type + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

void check_copy_blocks() {
  const KvLayout layout{16, 2, 64};
  const std::size_t count = std::size_t{2} * 4 * layout.block_stride();
  const std::vector<float> keys = random_numbers<float>(count, 5);
  const std::vector<BlockPair> pairs = {{0, 1, 16}, {1, 2, 5}, {3, 0, 16}};
  std::vector<float> wanted = keys;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (const BlockPair& pair : pairs) {
      std::memcpy(&wanted[layout.offset(4 * layer + pair.to, 0, 0, 0)],
                  &wanted[layout.offset(4 * layer + pair.from, 0, 0, 0)],
                  pair.tokens * layout.token_stride() * sizeof(float));
    }
  }
  for (const CopyBlocksRung rung : {CopyBlocksRung::numbers, CopyBlocksRung::packs}) {
    DeviceBuffer<float> keys_device(keys), values_device(keys);
    DeviceBuffer<BlockPair> list(pairs.size());
    Stream stream;
    copy_blocks<float>(rung, stream, {keys_device.ptr(), values_device.ptr(), 2, 4, layout}, pairs, list);
    expect(keys_device.download() == wanted && values_device.download() == wanted,
           "copy_blocks, rung " + std::to_string(static_cast<int>(rung)));
  }
}

}  // namespace

int main() {
  const std::string reason = why_no_device();
  if (!reason.empty()) {
    std::printf("SKIP: %s\n", reason.c_str());
    return 77;
  }
  check_rms_norm<float>("f32");
  check_rms_norm<f16>("f16");
  check_rms_norm<bf16>("bf16");
  check_store_kv<float>("f32");
  check_store_kv<bf16>("bf16");
  check_copy_blocks();
  kvarium_test::check_attention_kernels();
  kvarium_test::check_dense_kernels();
  kvarium_test::check_attention_prefill();
  expect(matrix_product_error<f16>() == 0, "cp.async, ldmatrix and mma f16");
  expect(matrix_product_error<bf16>() == 0, "cp.async, ldmatrix and mma bf16");
  std::printf("%d wrong\n", num_wrong);
  return num_wrong == 0 ? 0 : 1;
}
