#include "cuda/demos/attention_decode_demo.h"

#include <cmath>

#include "cuda/demos/list.h"
#include "cuda/demos/split_parts.h"
#include "cuda/kernels/attention_decode.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

using emulator::make_launch;

template <int lanes>
class WarpAHead : public DecodeInstance {
 public:
  explicit WarpAHead(const PagedProblem& problem) : DecodeInstance(problem) {
    by_table = {"H (2 n d s + 4 n + 2 d s) + 4 T", heads * (2 * n * d * s + 4 * n + 2 * d * s) + 4 * heads * lanes};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_decode_warp<float, lanes>, attention_decode_warp_grid(call()), lanes, 0, call());
  }
};

/// Two query heads, which share the one KV head.
class Vectors : public DecodeInstance {
 public:
  explicit Vectors(const PagedProblem& problem) : DecodeInstance(problem) {
    by_table = {"h t (2 n d s + 4 n) + H (2048 + d s) + 4 T", 2 * n * d * s + 4 * n + heads * (2048 + d * s) + 4 * 128};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_decode_vectors<AttentionDecode<float>, 16, 2>, decode_blocks(call(), 2),
                       kDecodeWarps * 32, 0, call(), DecodeParts{});
  }
};

/// Heads of one number and a query of 1: a key is its score.
PagedProblem eleven_keys() {
  const auto tokens = static_cast<unsigned>(eleven_scores().size());
  PagedProblem problem{{kElevenBlockSize, 1, 1}, tokens, 1, 1, 1.0F, {1.0F}, eleven_scores(), {}};
  for (unsigned j = 0; j < tokens; ++j) problem.values.push_back(static_cast<float>(j + 1));
  return problem;
}

/// Rung split, first launch: two blocks, of 64 keys and of 8.
class Split : public DecodeInstance {
 public:
  explicit Split(const PagedProblem& problem) : DecodeInstance(problem), found_(problem, problem.layout.head_dim) {
    const std::size_t p = SplitParts::kSplits;
    by_table = {"h t (2 n d s + 4 n) + p H (2048 + 4 d + 4) + 4 T",
                2 * n * d * s + 4 * n + p * heads * (2048 + 4 * d + 4) + p * 4 * 128};
    floor = {"2 n w s + 4 b + 4 + H d s + p H (4 d + 4)",
             2 * n * d * s + memory().table_bytes() + 4 + heads * d * s + p * heads * (4 * d + 4)};
  }
  emulator::KernelLaunch launch() override {
    return make_launch(attention_decode_vectors<AttentionDecode<float>, 16, 2>,
                       dim3(decode_blocks(call(), 2), SplitParts::kSplits), kDecodeWarps * 32, 0, call(),
                       found_.parts());
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

PagedProblem many_keys() { return paged_problem({8, 1, 16}, 72, 1, 2); }
PagedProblem shared_heads() { return paged_problem({kElevenBlockSize, 1, 8}, 11, 1, 2); }

}  // namespace

DecodeInstance::DecodeInstance(const PagedProblem& problem)
    : heads(problem.query_heads),
      n(problem.tokens),
      d(problem.layout.head_dim),
      memory_(problem),
      out_(problem.queries.size(), "out") {
  call_.queries = memory_.queries();
  call_.kv = memory_.kv();
  call_.lengths = memory_.lengths();
  call_.out = out_.ptr();
  call_.sequences = 1;
  call_.query_heads = problem.query_heads;
  call_.scale = problem.scale;
  floor = {"2 n w s + 4 b + 4 + 2 H d s", 2 * n * problem.row_bytes(s) + memory_.table_bytes() + 4 + 2 * heads * d * s};
  paged = memory_.paged();
  inputs = memory_.inputs();
}

std::vector<Output> DecodeInstance::outputs() const {
  return {written("out", out_, exact_attention(memory_.problem(), d), attention_tolerance(memory_.problem()))};
}

std::vector<unsigned> eleven_table() { return eleven_keys().table(); }

const std::vector<float>& eleven_scores() {
  static const std::vector<float> kScores{1, 3, 2, 0, 5, 4, 1, 2, 0, 6, 3};
  return kScores;
}

Kernel attention_decode_demos() {
  Rung warp{"warp_a_head", "one warp a query head, a key a lane", {}};
  warp.problems.push_back(problem<WarpAHead<8>>("eleven-8", "11 keys, a warp of 8 lanes (S11)", eleven_keys));
  warp.problems.push_back(problem<WarpAHead<4>>("eleven-4", "11 keys, a warp of 4 lanes", eleven_keys));
  warp.problems.push_back(problem<WarpAHead<32>>("eleven-32", "11 keys, a whole warp", eleven_keys));
  warp.problems.push_back(problem<WarpAHead<8>>("shared-8", "11 keys, 2 query heads that share them", shared_heads));
  Rung vectors{"vectors", "a key is read once, for all query heads that share it", {}};
  vectors.problems.push_back(problem<Vectors>("72", "72 keys, 2 query heads of 16 numbers", many_keys));
  Rung split{"split", "the keys in parts, each a block's, and their merge", {}};
  split.problems.push_back(problem<Split>("72-parts", "72 keys in 2 parts, 2 query heads", many_keys));
  split.problems.push_back(problem<Merged<Split>>("72-merge", "the merge of the 2 parts", many_keys));
  return {"attention_decode",
          "attention of a new token over the paged cache",
          {std::move(warp), std::move(vectors), std::move(split)}};
}

}  // namespace kvarium::cuda::demos
