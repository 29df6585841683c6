// The emulated runner when the memory of the device runs out.

#include "cpu_reference/model/weights.h"
#include "cuda/runner/kernel_runner.h"
#include "cuda/simt/host.h"
#include "tests/support/catch.h"
#include "tests/support/seeded_model.h"

using kvarium::cuda::make_kernel_runner;
using kvarium::cuda::NumberType;
using kvarium::cuda::plain_model;

TEST_CASE("weights or a cache that do not fit into the device's memory are refused, and nothing stays behind") {
  const auto model = kvarium_test::seeded_model({});
  const std::size_t before = kvarium::cuda::device_bytes_in_use();
  kvarium::cuda::set_device_bytes(before + 1000);
  CHECK_THROWS_AS(make_kernel_runner(plain_model(*model), NumberType::f32), kvarium::cuda::OutOfDeviceMemory);
  CHECK(kvarium::cuda::device_bytes_in_use() == before);
  kvarium::cuda::set_device_bytes(before + (std::size_t{1} << 20U));
  const auto runner = make_kernel_runner(plain_model(*model), NumberType::f32);
  const std::size_t weights = kvarium::cuda::device_bytes_in_use();
  CHECK_THROWS_AS(runner->create_cache(1000, 16), kvarium::cuda::OutOfDeviceMemory);
  CHECK(kvarium::cuda::device_bytes_in_use() == weights);
  kvarium::cuda::set_device_bytes(SIZE_MAX);
}
