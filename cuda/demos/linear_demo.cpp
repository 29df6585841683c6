#include "cuda/demos/linear_demo.h"

#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/linear.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::make_launch;

unsigned blocks_for(int count, int of) { return static_cast<unsigned>((count + of - 1) / of); }

template <typename T, LinearRung rung>
class LinearInstance : public Instance {
 public:
  explicit LinearInstance(const LinearSize& size)
      : x_("x", small_numbers(static_cast<std::size_t>(size.tokens * size.inputs), 5)),
        weight_("weight", small_numbers(static_cast<std::size_t>(size.outputs * size.inputs), 7)),
        y_(static_cast<std::size_t>(size.tokens * size.outputs), "y") {
    data_ = {x_.ptr(), weight_.ptr(), nullptr, y_.ptr(), size.tokens, size.inputs, size.outputs};
    const auto t = static_cast<std::size_t>(size.tokens), o = static_cast<std::size_t>(size.outputs),
               n = static_cast<std::size_t>(size.inputs);
    inputs = {x_.input(), weight_.input()};
    floor = {"(t + o) n s + 4 t o", (t + o) * n * sizeof(T) + 4 * t * o};
    switch (rung) {
      case LinearRung::plain:
        by_table = {"2 t o n s + 4 t o", 2 * t * o * n * sizeof(T) + 4 * t * o};
        break;
      case LinearRung::tiled:
        by_table = {"t o n s (1/32 + 1/32) + 4 t o", t * o * n * sizeof(T) * 2 / 32 + 4 * t * o};
        break;
      case LinearRung::mma:
        by_table = {"t o n s (1/128 + 1/64) + 4 t o", t * o * n * sizeof(T) * 3 / 128 + 4 * t * o};
        break;
      case LinearRung::few:
        by_table = {"o n s + t o n s + 4 t o", (1 + t) * o * n * sizeof(T) + 4 * t * o};
        break;
    }
  }

  emulator::KernelLaunch launch() override {
    const int tokens = data_.tokens, outputs = data_.outputs;
    if constexpr (rung == LinearRung::plain) {
      return make_launch(linear_plain<T, float>, dim3(blocks_for(outputs, 32), static_cast<unsigned>(tokens)), 32, 0,
                         data_);
    } else if constexpr (rung == LinearRung::tiled) {
      return make_launch(linear_tiled<T, float>,
                         dim3(blocks_for(outputs, kLinearTile), blocks_for(tokens, kLinearTile)),
                         dim3(kLinearTile, kLinearTileRows), 0, data_);
    } else if constexpr (rung == LinearRung::few) {
      return make_launch(linear_few<T, float>, dim3(blocks_for(outputs, 2), blocks_for(tokens, kLinearFewTokens)), 64,
                         0, data_);
    } else {
      return make_launch(linear_mma<T, float>,
                         dim3(blocks_for(outputs, kLinearMmaOutputs), blocks_for(tokens, kLinearMmaTokens)),
                         kLinearMmaThreads, linear_mma_shared_bytes<T>(), data_);
    }
  }
  /// Products are sixteenths, and a float holds their sums exactly.
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    const auto o = static_cast<std::size_t>(data_.outputs), n = static_cast<std::size_t>(data_.inputs);
    for (std::size_t at = 0; at < y_.size(); ++at) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += x_[at / o * n + i] * weight_[at % o * n + i];
      exact.push_back(sum);
    }
    return {written("y", y_, exact, 0)};
  }

 private:
  Given<T> x_, weight_;
  DeviceBuffer<float> y_;
  Linear<T, float> data_;
};

template <typename T, LinearRung rung>
Problem problem(std::string id, std::string title, const LinearSize& size) {
  return {std::move(id), std::move(title), [size] { return std::make_unique<LinearInstance<T, rung>>(size); }};
}

}  // namespace

std::unique_ptr<Instance> linear_instance(LinearStep step, const LinearSize& size) {
  switch (step) {
    case LinearStep::plain:
      return std::make_unique<LinearInstance<f16, LinearRung::plain>>(size);
    case LinearStep::tiled:
      return std::make_unique<LinearInstance<f16, LinearRung::tiled>>(size);
    case LinearStep::mma:
      return std::make_unique<LinearInstance<f16, LinearRung::mma>>(size);
    case LinearStep::few:
      return std::make_unique<LinearInstance<f16, LinearRung::few>>(size);
  }
  return nullptr;
}

Kernel linear_demos() {
  using Kind = LinearRung;
  const LinearSize tile{32, 32, 32}, warps{64, 128, 16};
  return {"linear",
          "a matrix product: all tokens times all weights",
          {{"plain",
            "one thread a result",
            {problem<float, Kind::plain>("4x32x16", "4 tokens, 32 outputs, 16 inputs", {4, 32, 16})}},
           {"tiled",
            "32 x 32 results of a block, from tiles in shared memory",
            {problem<float, Kind::tiled>("32x32x32", "32 tokens, 32 outputs, 32 inputs", tile)}},
           {"mma",
            "64 x 128 results of a block, by matrix instructions",
            {problem<f16, Kind::mma>("64x128x16", "64 tokens, 128 outputs, 16 inputs in f16", warps)}},
           {"few",
            "one warp a column of up to 8 tokens",
            {problem<float, Kind::few>("4x4x128", "4 tokens, 4 outputs, 128 inputs", {4, 4, 128})}}}};
}

}  // namespace kvarium::cuda::demos
