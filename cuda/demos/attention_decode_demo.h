#pragma once
// Eleven keys whose scores are known, in a paged cache: scenario S11. And what the rungs of attention_decode share.

#include <vector>

#include "cuda/demos/paged_problem.h"
#include "cuda/kernels/decode_call.cuh"

namespace kvarium::cuda::demos {

// Scores 1 3 2 0 | 5 4 1 2 | 0 6 3 in blocks of 4, with the block table 7 3 12; the values are 1 to 11.
inline constexpr unsigned kElevenBlockSize = 4;
const std::vector<float>& eleven_scores();
std::vector<unsigned> eleven_table();

/// One new token of one sequence, in float.
class DecodeInstance : public Instance {
 public:
  explicit DecodeInstance(const PagedProblem& problem);
  std::vector<Output> outputs() const override;

 protected:
  const AttentionDecode<float>& call() const { return call_; }
  const PagedMemory<float>& memory() const { return memory_; }

  // The letters of the kernel's header; there is one KV head.
  const std::size_t heads, n, d, s = sizeof(float);

 private:
  PagedMemory<float> memory_;
  DeviceBuffer<float> out_;
  AttentionDecode<float> call_;
};

}  // namespace kvarium::cuda::demos
