#pragma once

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// gate <- silu(gate) * up, element by element, with silu(g) = g / (1 + exp(-g))   (Shazeer 2020, equation 6)
/// MisuseError when the shapes differ.
void swiglu(MatrixInOut gate,     // [tokens][width]
            const MatrixIn& up);  // [tokens][width]

}  // namespace kvarium::cpu
