// Products with a weight: many tokens wait for arithmetic, few for memory.

#include "cuda/bench/bench.h"
#include "cuda/bench/fill.cuh"
#include "cuda/kernels/linear.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

namespace {

void bench_linear(const std::function<void(const Job&)>& run, int tokens, const std::vector<LinearRung>& rungs) {
  const int width = kIsLarge ? 4096 : 64;
  const auto count = [&](int rows) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width); };
  const DeviceBuffer<bf16> x = filled<bf16>(count(tokens), 1, "x"), weight = filled<bf16>(count(width), 2, "weight");
  DeviceBuffer<bf16> y(count(tokens), "y");
  const Linear<bf16, bf16> data = {x.ptr(), weight.ptr(), nullptr, y.ptr(), tokens, width, width, false};
  for (const LinearRung rung : rungs) {
    constexpr const char* kNames[] = {"plain", "tiled", "mma", "few"};
    run({"linear", kNames[static_cast<int>(rung)],
         std::to_string(tokens) + " tokens, " + std::to_string(width) + " to " + std::to_string(width) + ", bf16",
         2.0 * static_cast<double>(count(2 * tokens + width)), 2.0 * tokens * width * static_cast<double>(width),
         [&, rung](Stream& stream) { linear(rung, stream, data); }});
  }
}

}  // namespace

void bench_dense(const std::function<void(const Job&)>& run) {
  bench_linear(run, kIsLarge ? 4096 : 40, {LinearRung::plain, LinearRung::tiled, LinearRung::mma});
  bench_linear(run, 8, {LinearRung::plain, LinearRung::mma, LinearRung::few});
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
