#pragma once

#include "core/work.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// y[t][j] = weight[j] * (x[t][j] - m) / sqrt(v + epsilon) + bias[j], with the mean m and the variance v (divided by
/// the width, not by one less) of row t   (Ba et al. 2016, equations 3 and 4). GPT-2's norm; RMSNorm leaves out m and
/// bias. y may be x itself. MisuseError when the widths differ.
void layer_norm(const MatrixIn& x,       // [tokens][width]
                const VectorIn& weight,  // [width]
                const VectorIn& bias,    // [width]
                float epsilon,
                MatrixInOut y,  // [tokens][width]
                Work& work);

}  // namespace kvarium::cpu
