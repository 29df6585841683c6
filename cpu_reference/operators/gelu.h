#pragma once

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// x <- x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), element by element: the approximation of GELU that GPT-2
/// was trained with   (Hendrycks and Gimpel 2016, section 2)
void gelu(MatrixInOut x);  // [tokens][width]

}  // namespace kvarium::cpu
