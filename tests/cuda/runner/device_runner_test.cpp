// The device's runner where there may be no device.

#include "cuda/runner/device_runner.h"

#include "core/error.h"
#include "cpu_reference/model/weights.h"
#include "tests/support/catch.h"
#include "tests/support/seeded_model.h"

using kvarium::cuda::make_device_runner;
using kvarium::cuda::plain_model;

TEST_CASE("a device's runner is made, or is refused with the reason and what to do instead") {
  const auto model = kvarium_test::seeded_model({});
  const std::string reason = kvarium::cuda::why_no_device_runner();
  const auto make = [&] { return make_device_runner(plain_model(*model), kvarium::cuda::NumberType::f32); };
  if (reason.empty()) {
    CHECK(make()->shape().name == "seeded");
    CHECK(kvarium::cuda::device_name() != "");
    return;
  }
  CHECK_THAT(reason, kvarium_test::contains("--runner kernels") &&
                         (kvarium_test::contains("without CUDA") || kvarium_test::contains("no usable CUDA device")));
  CHECK_THROWS_AS(make(), kvarium::InputError);
  CHECK_THROWS_WITH(make(), reason);
  CHECK_THROWS_AS(kvarium::cuda::device_name(), kvarium::MisuseError);
}
