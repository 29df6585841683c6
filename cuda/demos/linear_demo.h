#pragma once
// The ladder of cuda/kernels/linear.cuh over one problem, to compare its rungs.

#include <memory>

#include "cuda/demos/demo.h"

namespace kvarium::cuda::demos {

struct LinearSize {
  int tokens = 0, outputs = 0, inputs = 0;
};

enum class LinearStep { plain, tiled, mma, few };

/// In f16, the results in float; sizes that are multiples of 64, 128 and 8 are whole tiles.
std::unique_ptr<Instance> linear_instance(LinearStep step, const LinearSize& size);

}  // namespace kvarium::cuda::demos
