#pragma once

#include "core/work.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// y[t][j] = weight[j] * x[t][j] / sqrt(mean_k(x[t][k]^2) + epsilon)   (Zhang and Sennrich 2019, equation 4)
/// Epsilon stands inside the root, as in LLaMA. y may be x itself. MisuseError when the widths differ.
void rms_norm(const MatrixIn& x,       // [tokens][width]
              const VectorIn& weight,  // [width]
              float epsilon,
              MatrixInOut y,  // [tokens][width]
              Work& work);

}  // namespace kvarium::cpu
