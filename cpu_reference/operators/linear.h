#pragma once

#include "core/work.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/weight_matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// Up to so many rows of x linear() allocates nothing, and row t of y has the same bits as linear() of row t alone.
/// With more rows it may be rounded otherwise.
inline constexpr Index kFewTokens = 16;

/// y = x W^T: y[t][o] = sum_i x[t][i] * weight[o][i], for a weight of any type. With one token this is matrix times
/// vector and reads the whole weight for 2 operations a number; with many tokens each number that is read is used once
/// a token. That is why decoding waits for memory and prefilling waits for arithmetic.
///
/// Few tokens: tiles of dot products; each number of the weight is brought from memory once for all tokens, and decoded
/// for four tokens at a time.
/// Many tokens: tiles of the weight are widened (F32 is used where it lies) and multiplied by Eigen.
/// The tiles and the order of all sums depend on the shapes alone: the number of threads does not change a bit.
/// MisuseError when shapes do not fit.
void linear(const MatrixIn& x,           // [tokens][inputs]
            const WeightMatrix& weight,  // [outputs][inputs]
            MatrixInOut y,               // [tokens][outputs], all of it is written
            ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
