#pragma once

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// y = silu(gate) * up, element by element, with silu(g) = g / (1 + exp(-g))   (Shazeer 2020, equation 6)
/// Returns [tokens][width]. MisuseError when the shapes differ.
Matrix swiglu(const MatrixIn& gate,  // [tokens][width]
              const MatrixIn& up);   // [tokens][width]

}  // namespace kvarium::cpu
