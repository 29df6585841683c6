#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/embed.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr std::size_t kVocab = 10, kWidth = 32;

/// Three tokens, the first and the last of them the same.
template <EmbedRung rung>
class EmbedThree : public Instance {
 public:
  EmbedThree() {
    const std::size_t row = kWidth * sizeof(float);
    by_table = {"n 2 w s + 4 T", tokens_.size() * (2 * row + 4 * kThreads)};
    floor = {"n (2 w s + 4)", tokens_.size() * (2 * row + 4)};
    inputs = {tokens_.input(), table_.input()};
  }

  emulator::KernelLaunch launch() override {
    const Embedding<float> data{table_.ptr(),
                                tokens_.ptr(),
                                x_.ptr(),
                                static_cast<int>(tokens_.size()),
                                static_cast<int>(kVocab),
                                static_cast<int>(kWidth)};
    const auto kernel = rung == EmbedRung::number ? embed_number<float> : embed_packs<float>;
    return emulator::make_launch(kernel, static_cast<unsigned>(tokens_.size()), kThreads, 0, data);
  }
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t i = 0; i < tokens_.size() * kWidth; ++i)
      exact.push_back(table_[static_cast<std::size_t>(tokens_[i / kWidth]) * kWidth + i % kWidth]);
    return {written("x", x_, exact, 0)};
  }

 private:
  static constexpr unsigned kThreads = rung == EmbedRung::number ? 32 : 8;

  Given<float> table_{"table", small_numbers(kVocab* kWidth, 5)};
  Given<int> tokens_{"tokens", {7, 2, 7}};
  DeviceBuffer<float> x_{tokens_.size() * kWidth, "x"};
};

template <EmbedRung rung>
Problem problem() {
  return {"three-tokens", "tokens 7, 2 and 7, rows of 32 numbers", [] { return std::make_unique<EmbedThree<rung>>(); }};
}

}  // namespace

Kernel embed_demos() {
  return {"embed",
          "the rows of the embedding that the tokens name",
          {{"number", "one thread a number", {problem<EmbedRung::number>()}},
           {"packs", "one thread 16 bytes", {problem<EmbedRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
