#include "cuda/demos/list.h"
#include "cuda/demos/paged_problem.h"
#include "cuda/demos/split_parts.h"
#include "cuda/kernels/attention_mla.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::make_launch;

constexpr unsigned kLatent = 32, kRotary = 16, kHeads = 8;

/// A row is its own key, and its first part its value.
PagedProblem latent_problem(unsigned block_size, unsigned tokens) {
  PagedProblem problem = paged_problem({block_size, 1, kLatent + kRotary}, tokens, 1, kHeads);
  problem.values = problem.keys;
  return problem;
}
PagedProblem eleven_rows() { return latent_problem(4, 11); }
PagedProblem many_rows() { return latent_problem(8, 72); }

class MlaInstance : public Instance {
 public:
  explicit MlaInstance(const PagedProblem& problem)
      : n(problem.tokens), memory_(problem), out_(std::size_t{kHeads} * kLatent, "out") {
    call_.queries = memory_.queries();
    call_.kv = {memory_.keys(), problem.layout, memory_.tables()};
    call_.lengths = memory_.lengths();
    call_.out = out_.ptr();
    call_.sequences = 1;
    call_.heads = kHeads;
    call_.latent_dim = kLatent;
    call_.scale = problem.scale;
    floor = {"n w s + 4 b + 4 + H (w + v) s",
             n * w * s + memory_.table_bytes() + 4 + std::size_t{kHeads} * (w + kLatent) * s};
    paged = memory_.paged();
    paged->values = "";
    inputs = {memory_.inputs()[0], {"latent rows of the tokens", problem.keys}};
  }
  std::vector<Output> outputs() const override {
    return {written("out", out_, exact_attention(memory_.problem(), kLatent), attention_tolerance(memory_.problem()))};
  }

 protected:
  const AttentionMla<float>& call() const { return call_; }
  const PagedMemory<float>& memory() const { return memory_; }

  // The letters of the kernel's header.
  static constexpr std::size_t w = kLatent + kRotary, v = kLatent, s = sizeof(float);
  const std::size_t n;

 private:
  PagedMemory<float> memory_;
  DeviceBuffer<float> out_;
  AttentionMla<float> call_;
};

class WarpAHead : public MlaInstance {
 public:
  explicit WarpAHead(const PagedProblem& problem) : MlaInstance(problem) {
    by_table = {"H (n (w + v) s + 4 n + (w + v) s) + 4 T",
                kHeads * (n * (w + v) * s + 4 * n + (w + v) * s) + std::size_t{4} * 32 * kHeads};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_mla_warp<float>, dim3(1, kHeads), 32, 0, call());
  }
};

/// Two of the four warps have heads, and look up the length.
constexpr std::size_t kLengthBytes = std::size_t{4} * 32 * kHeads / kMlaHeads;

class Rows : public MlaInstance {
 public:
  explicit Rows(const PagedProblem& problem) : MlaInstance(problem) {
    by_table = {"H/4 (n w s + 4 n) + H (w + v) s + 4 T",
                kHeads / 4 * (n * w * s + 4 * n) + kHeads * (w + v) * s + kLengthBytes};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_mla_rows<float, 1>, mla_blocks(call()), kMlaWarps * 32, 0, call(), DecodeParts{});
  }
};

/// Rung split, first launch.
class Split : public MlaInstance {
 public:
  explicit Split(const PagedProblem& problem) : MlaInstance(problem), found_(problem, kLatent) {
    const std::size_t p = SplitParts::kSplits;
    by_table = {"H/4 (n w s + 4 n) + p H (w s + 4 v + 4) + 4 T",
                kHeads / 4 * (n * w * s + 4 * n) + p * kHeads * (w * s + 4 * v + 4) + p * kLengthBytes};
    floor = {"n w s + 4 b + 4 + H w s + p H (4 v + 4)",
             n * w * s + memory().table_bytes() + 4 + kHeads * w * s + p * kHeads * (4 * v + 4)};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_mla_rows<float, 1>, dim3(mla_blocks(call()), SplitParts::kSplits), kMlaWarps * 32, 0,
                       call(), found_.parts());
  }
  std::vector<Output> outputs() const override { return found_.outputs(); }
  SplitParts& found() { return found_; }
  const SplitParts& found() const { return found_; }

 private:
  SplitParts found_;
};

template <typename Shown>
Problem problem(std::string id, std::string title, PagedProblem (*made)()) {
  return {std::move(id), std::move(title), [made] { return std::make_unique<Shown>(made()); }};
}

}  // namespace

Kernel attention_mla_demos() {
  return {
      "attention_mla",
      "attention of a new token over latent rows, which all heads share",
      {{"warp_a_head", "one warp a head, a row a lane", {problem<WarpAHead>("11", "11 rows, 8 heads", eleven_rows)}},
       {"rows",
        "a warp's lanes share a row, for 4 heads: key and value at once",
        {problem<Rows>("11", "11 rows, 8 heads", eleven_rows)}},
       {"split",
        "the rows in parts, each a block's, and their merge",
        {problem<Split>("72-parts", "72 rows in 2 parts, 8 heads", many_rows),
         problem<Merged<Split>>("72-merge", "the merge of the 2 parts", many_rows)}}}};
}

}  // namespace kvarium::cuda::demos
