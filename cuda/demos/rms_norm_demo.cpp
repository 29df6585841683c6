#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::make_launch;

constexpr float kEpsilon = 1e-5F;

template <RmsNormRung rung>
class RmsNorm : public Instance {
 public:
  RmsNorm(int tokens, int width)
      : tokens_(tokens),
        width_(width),
        x_("x", small_numbers(static_cast<std::size_t>(tokens * width), 5)),
        weight_("weight", small_numbers(static_cast<std::size_t>(width), 7)),
        y_(x_.size(), "y") {
    const std::size_t row = static_cast<std::size_t>(width) * sizeof(float), rows = static_cast<std::size_t>(tokens);
    constexpr bool kKeepsRow = rung == RmsNormRung::block_a_token;
    by_table = {kKeepsRow ? "n (2 w s + w s)" : "n (3 w s + w s)", rows * row * (kKeepsRow ? 3 : 4)};
    inputs = {x_.input(), weight_.input()};
    floor = {"n 2 w s + w s", rows * 2 * row + row};
  }

  emulator::KernelLaunch launch() override {
    const gptr<float> y = y_.ptr();
    if constexpr (rung == RmsNormRung::thread_a_token) {
      return make_launch(rms_norm_thread<float>, 1, static_cast<unsigned>(tokens_), 0, x_.ptr(), weight_.ptr(),
                         kEpsilon, y, tokens_, width_, width_);
    } else if constexpr (rung == RmsNormRung::warp_a_token) {
      return make_launch(rms_norm_warp<float>, 1, 32 * static_cast<unsigned>(tokens_), 0, x_.ptr(), weight_.ptr(),
                         kEpsilon, y, tokens_, width_, width_);
    } else {
      const auto packs = static_cast<unsigned>(width_ / Pack<float>::kCount);
      return make_launch(rms_norm_block<float>, static_cast<unsigned>(tokens_), (packs + 31) / 32 * 32, 0, x_.ptr(),
                         weight_.ptr(), kEpsilon, y, width_, width_);
    }
  }
  /// The sum of w squares is off by w / 2 units of 2^-24 under the root, and the operations around it by 8; results are
  /// below 4 in size.
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    const auto width = static_cast<std::size_t>(width_);
    for (std::size_t at = 0; at < x_.size(); ++at) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += x_[at / width * width + i] * x_[at / width * width + i];
      exact.push_back(weight_[at % width] * x_[at] / std::sqrt(sum / width_ + double{kEpsilon}));
    }
    return {written("y", y_, exact, 4 * (width_ / 2.0 + 8) * 0x1p-24)};
  }

 private:
  int tokens_, width_;
  Given<float> x_, weight_;
  DeviceBuffer<float> y_;
};

template <RmsNormRung rung>
Problem problem(std::string id, std::string title, int tokens, int width) {
  return {std::move(id), std::move(title), [tokens, width] { return std::make_unique<RmsNorm<rung>>(tokens, width); }};
}

}  // namespace

Kernel rms_norm_demos() {
  using Kind = RmsNormRung;
  return {"rms_norm",
          "each token's numbers, divided by their size",
          {{"thread_a_token",
            "one thread walks along a row, twice",
            {problem<Kind::thread_a_token>("8x16", "8 tokens of 16 numbers", 8, 16)}},
           {"warp_a_token",
            "32 lanes walk side by side",
            {problem<Kind::warp_a_token>("2x64", "2 tokens of 64 numbers", 2, 64)}},
           {"block_a_token",
            "a whole block, 16 bytes a thread",
            {problem<Kind::block_a_token>("2x256", "2 tokens of 256 numbers", 2, 256)}}}};
}

}  // namespace kvarium::cuda::demos
