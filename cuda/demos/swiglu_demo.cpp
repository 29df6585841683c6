#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/swiglu.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr std::size_t kCount = 64;

template <ActivateRung rung>
class Swiglu : public Instance {
 public:
  Swiglu() {
    by_table = {"3 n s", 3 * kCount * sizeof(float)};
    floor = by_table;
    inputs = {gate_.input(), up_.input()};
  }

  emulator::KernelLaunch launch() override {
    constexpr FeedForward kKind = FeedForward::swiglu;
    const auto kernel = rung == ActivateRung::number ? activate_number<float, kKind> : activate_packs<float, kKind>;
    constexpr unsigned kBlocks = rung == ActivateRung::number ? 2 : 1,
                       kThreads = rung == ActivateRung::number ? 32 : 16;
    return emulator::make_launch(kernel, kBlocks, kThreads, 0, gate_.ptr(), up_.ptr(), static_cast<long long>(kCount));
  }
  /// An exponential off by 2 units of 2^-23, and the operations around it by 2^-24 each, of results up to 2.
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t i = 0; i < kCount; ++i) exact.push_back(gate_[i] / (1 + std::exp(-gate_[i])) * up_[i]);
    return {written("gate", gate_.memory(), exact, 20 * 0x1p-24)};
  }

 private:
  Given<float> gate_{"gate", small_numbers(kCount, 5)}, up_{"up", small_numbers(kCount, 7)};
};

template <ActivateRung rung>
Problem problem() {
  return {"64", "64 numbers", [] { return std::make_unique<Swiglu<rung>>(); }};
}

}  // namespace

Kernel swiglu_demos() {
  return {"swiglu",
          "the gate between the two products of a feed-forward layer",
          {{"number", "one thread a number", {problem<ActivateRung::number>()}},
           {"packs", "one thread 16 bytes", {problem<ActivateRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
