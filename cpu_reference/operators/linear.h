#pragma once

#include "core/work.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/weight_matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// y = x W^T: y[t][o] = sum_i x[t][i] * weight[o][i]. With one token this is matrix times vector and reads the whole
/// weight for 2 operations a number; with many tokens each number that is read is used once a token. That is why
/// decoding waits for memory and prefilling waits for arithmetic.
/// Returns [tokens][outputs]. MisuseError when the widths differ.
Matrix linear(const MatrixIn& x,       // [tokens][inputs]
              const MatrixIn& weight,  // [outputs][inputs]
              Work& work);

/// The same for a weight of any type, into `y`.
void linear(const MatrixIn& x,           // [tokens][inputs]
            const WeightMatrix& weight,  // [outputs][inputs]
            MatrixInOut y,               // [tokens][outputs]
            ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
