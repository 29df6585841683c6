#pragma once

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// Each row in place: x[i] <- exp(x[i] - m) / sum_j exp(x[j] - m) with m = max_j x[j]. Subtracting the maximum leaves
/// the result as it is and keeps exp from overflowing.
/// -infinity marks a masked entry: it becomes exactly 0, and a row in which all are masked becomes all 0. A NaN or
/// +infinity makes its whole row NaN, so that a fault upstream is seen.
void softmax(MatrixInOut x);  // [rows][columns]

}  // namespace kvarium::cpu
