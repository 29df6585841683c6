#pragma once
// The ladder of cuda/kernels/attention_prefill.cuh over one problem, to compare its rungs.

#include <memory>

#include "cuda/demos/demo.h"

namespace kvarium::cuda::demos {

enum class PrefillStep { naive, tiled, mma };

/// One sequence, whose query heads share one KV head of 16 numbers.
struct PrefillSize {
  unsigned past = 0, added = 0;  ///< tokens: in the cache before, and new
  unsigned query_heads = 1;

  unsigned rows() const { return added * query_heads; }  ///< of queries
};

/// In f16.
std::unique_ptr<Instance> prefill_instance(PrefillStep step, const PrefillSize& size);

}  // namespace kvarium::cuda::demos
