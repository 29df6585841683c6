// Each line of a kernel that orders memory is left out once: the emulator must notice every time.

#include <vector>

#include "cuda/kernels/linear.cuh"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/kernels/sampling.cuh"
#include "cuda/kernels/softmax.cuh"
#include "tests/cuda/kernels/mutants.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::expect_all_needed;

namespace {

void run_rms_norm() {
  const DeviceBuffer<float> x(std::vector<float>(std::size_t{2} * 256, 1.0F), "x");
  const DeviceBuffer<float> weight(std::vector<float>(256, 1.0F), "weight");
  DeviceBuffer<float> y(std::size_t{2} * 256, "y");
  Stream stream;
  rms_norm<float>(RmsNormRung::block_a_token, stream, x.ptr(), weight.ptr(), 1e-5F, y.ptr(), 2, 256);
  stream.synchronize();
}

void run_linear(LinearRung rung) {
  const DeviceBuffer<bf16> x(std::vector<bf16>(std::size_t{3} * 160), "x"),
      weight(std::vector<bf16>(std::size_t{5} * 160));
  DeviceBuffer<bf16> y(std::size_t{3} * 5, "y");
  Stream stream;
  linear<bf16, bf16>(rung, stream, {x.ptr(), weight.ptr(), nullptr, y.ptr(), 3, 160, 5});
  stream.synchronize();
}

void run_softmax() {
  const DeviceBuffer<float> x(std::vector<float>(64, 1.0F), "x");
  DeviceBuffer<float> y(64, "y");
  Stream stream;
  softmax<float>(SoftmaxRung::block, stream, x.ptr(), y.ptr(), 1, 1, 64);
  stream.synchronize();
}

void run_sample() {
  const DeviceBuffer<float> logits(std::vector<float>(64, 1.0F), "logits");
  const DeviceBuffer<SampleParams> params(std::vector<SampleParams>{{1, 8, 0.5F, 0.5}}, "params");
  DeviceBuffer<int> tokens(1, "tokens");
  Stream stream;
  sample<float>(stream, logits.ptr(), params.ptr(), tokens.ptr(), 1, 64);
  stream.synchronize();
}

}  // namespace

TEST_CASE("mutants: rms_norm without its barrier is noticed in every order of threads") {
  expect_all_needed(run_rms_norm, 1);
}

TEST_CASE("mutants: linear without one of the barriers around its tiles, or with a wait too weak, is noticed") {
  expect_all_needed([] { run_linear(LinearRung::tiled); }, 2);
  expect_all_needed([] { run_linear(LinearRung::mma); }, 2);  // the wait and the barrier
}

TEST_CASE("mutants: softmax and sample without one of the barriers of their sums and searches are noticed") {
  expect_all_needed(run_softmax, 2);
  expect_all_needed(run_sample, 4);
}
