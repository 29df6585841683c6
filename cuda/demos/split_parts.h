#pragma once
// Rung split of the decode kernels has two launches: attention over parts of the keys, and the merge of the parts.

#include <memory>

#include "cuda/demos/paged_problem.h"
#include "cuda/kernels/decode_parts.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {

/// Room for what each part finds, for one new token.
class SplitParts {
 public:
  static constexpr unsigned kSplits = 2;

  /// `columns`: of a result, the first numbers of a value.
  SplitParts(const PagedProblem& problem, std::size_t columns)
      : problem_(problem),
        columns_(columns),
        out_(problem.num_heads() * kSplits * columns, "part_out"),
        lse_(problem.num_heads() * kSplits, "part_lse") {}

  DecodeParts parts() { return {out_.ptr(), lse_.ptr(), kSplits}; }
  const PagedProblem& problem() const { return problem_; }
  std::size_t columns() const { return columns_; }
  /// Parts are whole chunks of keys, as part_of() cuts them.
  std::vector<Output> outputs() const {
    const std::size_t chunks = (problem_.tokens + kDecodeChunk - 1) / kDecodeChunk;
    const std::size_t a_part = (chunks + kSplits - 1) / kSplits * kDecodeChunk;
    std::vector<double> out, lse;
    for (std::size_t i = 0; i < problem_.num_heads() * kSplits; ++i) {
      const std::size_t begin = std::min<std::size_t>(i % kSplits * a_part, problem_.tokens);
      const std::size_t end = std::min<std::size_t>(begin + a_part, problem_.tokens);
      const ExactHead exact = exact_head(problem_, i / kSplits, columns_, begin, end);
      out.insert(out.end(), exact.out.begin(), exact.out.end());
      lse.push_back(exact.lse);
    }
    const double tolerance = attention_tolerance(problem_);
    return {written("part_out", out_, out, tolerance), written("part_lse", lse_, lse, tolerance)};
  }

 private:
  PagedProblem problem_;
  std::size_t columns_;
  DeviceBuffer<float> out_, lse_;
};

/// The second launch. `Parts`: the demo of the first one, which is run before.
template <typename Parts>
class Merged : public Instance {
 public:
  explicit Merged(const PagedProblem& problem)
      : parts_(problem), out_(problem.num_heads() * parts_.found().columns(), "out") {
    emulator::run_launch(parts_.launch());
    const std::size_t heads = problem.num_heads(), p = SplitParts::kSplits, d = parts_.found().columns();
    by_table = {"H d s + p H 12 d", heads * d * sizeof(float) + p * heads * 12 * d};
    floor = {"H d s + p H (4 d + 4)", heads * d * sizeof(float) + p * heads * (4 * d + 4)};
    for (const Output& part : parts_.found().outputs()) inputs.push_back({part.name, part.numbers});
  }
  emulator::KernelLaunch launch() override {
    SplitParts& found = parts_.found();
    return emulator::make_launch(merge_decode_parts<float>, static_cast<unsigned>(found.problem().num_heads()),
                                 static_cast<unsigned>(found.columns()), 0, found.parts(), out_.ptr(), nullptr);
  }
  std::vector<Output> outputs() const override {
    const PagedProblem& problem = parts_.found().problem();
    return {written("out", out_, exact_attention(problem, parts_.found().columns()), attention_tolerance(problem))};
  }

 private:
  Parts parts_;
  DeviceBuffer<float> out_;
};

}  // namespace kvarium::cuda::demos
