#include "core/sampling/sampling.h"
#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/sampling.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::make_launch;

/// Rows of logits, and the token of each.
class Sampled : public Instance {
 public:
  Sampled(std::size_t rows, std::size_t vocab) : rows_(rows), vocab_(vocab) {
    floor = {"R n s", rows * vocab * sizeof(float)};
    counted = {"logits"};
    inputs = {logits_.input()};
  }
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t row = 0; row < rows_; ++row)
      exact.push_back(static_cast<double>(value(chosen({logits_.input().numbers.data() + row * vocab_, vocab_}))));
    return {written("tokens", tokens_, exact, 0)};
  }

 protected:
  /// As core/sampling has it.
  virtual TokenId chosen(std::span<const float> logits) const { return kvarium::argmax(logits); }
  int vocab() const { return static_cast<int>(vocab_); }
  gptr<float> logits() { return logits_.ptr(); }
  gptr<int> tokens() { return tokens_.ptr(); }
  unsigned rows() const { return static_cast<unsigned>(rows_); }

 private:
  std::size_t rows_, vocab_;
  Given<float> logits_{"logits", small_numbers(rows_* vocab_, 5)};
  DeviceBuffer<int> tokens_{rows_, "tokens"};
};

class ArgmaxThread : public Sampled {
 public:
  ArgmaxThread() : Sampled(8, 16) { by_table = floor; }
  emulator::KernelLaunch launch() override {
    return make_launch(argmax_thread<float>, 1, rows(), 0, logits(), tokens(), static_cast<int>(rows()), vocab());
  }
};

class ArgmaxBlock : public Sampled {
 public:
  ArgmaxBlock() : Sampled(2, 96) { by_table = floor; }
  emulator::KernelLaunch launch() override {
    return make_launch(argmax_block<float>, rows(), 64, 0, logits(), tokens(), vocab());
  }
};

/// Two warps, and two shares of the vocabulary; three looks for a place read a share of 32 once more.
class Sample : public Sampled {
 public:
  Sample() : Sampled(1, 64) {
    by_table = {"(1 + 34 + 35 + 1) n s + 3 * 32 s", (std::size_t{71} * 64 + 3 * 32) * sizeof(float)};
    inputs.push_back({"temperature, top-k, top-p, uniform", {kTemperature, kTopK, kTopP, kUniform}});
  }
  emulator::KernelLaunch launch() override {
    return make_launch(sample_rows<float>, rows(), 64, 0, logits(), params_.ptr(), tokens(), vocab());
  }

 private:
  static constexpr float kTemperature = 1, kTopP = 0.75F, kUniform = 0.625F;
  static constexpr unsigned kTopK = 8;

  TokenId chosen(std::span<const float> logits) const override {
    return kvarium::draw(kvarium::distribution(logits, {kTemperature, kTopK, kTopP}), double{kUniform});
  }

  DeviceBuffer<SampleParams> params_{std::vector<SampleParams>{{kTemperature, kTopK, kTopP, double{kUniform}}},
                                     "params"};
};

template <typename Shown>
Problem problem(std::string id, std::string title) {
  return {std::move(id), std::move(title), [] { return std::make_unique<Shown>(); }};
}

}  // namespace

Kernel sampling_demos() {
  return {"sampling",
          "from logits to the next token",
          {{"thread", "the largest: one thread a row", {problem<ArgmaxThread>("8x16", "8 rows of 16 logits")}},
           {"block", "the largest: one block a row", {problem<ArgmaxBlock>("2x96", "2 rows of 96 logits")}},
           {"sample",
            "temperature, top-k, top-p and a draw; nothing is sorted",
            {problem<Sample>("top-8", "64 logits, top-k 8, top-p 0.75")}}}};
}

}  // namespace kvarium::cuda::demos
