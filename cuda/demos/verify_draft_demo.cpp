#include "core/speculation/acceptance.h"
#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/verify_draft.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr std::size_t kVocab = 4, kSequences = 2;

/// Two sequences with one draft each. The first one's, token 0, is accepted with 0.2 / 0.5 and gets the random number
/// 0.55; the second one's, token 1, is likelier for the target than for the draft. Rows of `target`: for the draft, and
/// for what comes behind it.
template <VerifyRung rung>
class VerifyTwo : public Instance {
 public:
  VerifyTwo() {
    constexpr std::size_t kRow = kVocab * sizeof(float), kJudged = kSequences * 2 * sizeof(float);
    by_table = rung == VerifyRung::thread ? ByteFormula{"4 V s + V s, 2 s a draft", 5 * kRow + kJudged}
                                          : ByteFormula{"2 (V + v) s + (V + v) s, 2 s a draft", 6 * kRow + kJudged};
    floor = {"2 V s + V s", 3 * kRow};
    counted = {"target", "draft"};
    std::vector<float> shown(kUniforms.begin(), kUniforms.end());
    inputs = {drafts_.input(), target_.input(), draft_.input(), {"uniforms", std::move(shown)}};
  }

  emulator::KernelLaunch launch() override {
    VerifyDraft<float> call{drafts_.ptr(),   counts_.ptr(),   target_.ptr(), draft_.ptr(),
                            uniforms_.ptr(), accepted_.ptr(), next_.ptr()};
    call.sequences = kSequences;
    call.most_drafts = 1;
    call.vocab = static_cast<int>(kVocab);
    if (rung == VerifyRung::thread) return emulator::make_launch(verify_draft_thread<float>, 1, kSequences, 0, call);
    return emulator::make_launch(verify_draft_block<float>, kSequences, 32, 0, call);
  }
  /// As core/speculation judges.
  std::vector<Output> outputs() const override {
    std::vector<double> accepted, next;
    for (std::size_t s = 0; s < kSequences; ++s) {
      const Draft draft{{TokenId{static_cast<std::int32_t>(drafts_[s])}}, {row_of(draft_, s)}};
      const std::vector<std::vector<double>> target{row_of(target_, 2 * s), row_of(target_, 2 * s + 1)};
      const Verdict verdict = verify_sampled(draft, target, std::span(kUniforms).subspan(2 * s, 2));
      accepted.push_back(verdict.accepted());
      next.push_back(value(verdict.next));
    }
    return {written("accepted", accepted_, accepted, 0), written("next", next_, next, 0)};
  }

 private:
  static std::vector<double> row_of(const Given<float>& rows, std::size_t row) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < kVocab; ++i) numbers.push_back(rows[row * kVocab + i]);
    return numbers;
  }
  static inline const std::vector<double> kUniforms{0.55, 0.9, 0.25, 0.95};

  Given<int> drafts_{"drafts", {0, 1}};
  Given<unsigned> counts_{"counts", {1, 1}};
  Given<float> target_{"target",
                       {0.2F, 0.5F, 0.2F, 0.1F, 0.25F, 0.25F, 0.25F, 0.25F,  //
                        0.2F, 0.5F, 0.2F, 0.1F, 0.1F, 0.2F, 0.3F, 0.4F}};
  Given<float> draft_{"draft", {0.5F, 0.3F, 0.15F, 0.05F, 0.5F, 0.3F, 0.15F, 0.05F}};
  DeviceBuffer<double> uniforms_{kUniforms, "uniforms"};
  DeviceBuffer<int> accepted_{kSequences, "accepted"}, next_{kSequences, "next"};
};

template <VerifyRung rung>
Problem problem() {
  return {"two-drafts", "2 sequences, a draft each, 4 tokens", [] { return std::make_unique<VerifyTwo<rung>>(); }};
}

}  // namespace

Kernel verify_draft_demos() {
  return {"verify_draft",
          "which drafts the target accepts, and what comes behind them",
          {{"thread", "one thread a sequence", {problem<VerifyRung::thread>()}},
           {"block", "one block a sequence: sums and walk side by side", {problem<VerifyRung::block>()}}}};
}

}  // namespace kvarium::cuda::demos
