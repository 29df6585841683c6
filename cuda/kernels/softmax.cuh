#pragma once
// y[r][i] = exp((x[r][i] - m) / temperature) / sum_j exp((x[r][j] - m) / temperature) with m = max_j x[r][j]
//
//   rung    idea                                    bytes moved a row   what to learn
//   thread  one thread a row: the largest, the sum, 4 n s               each of three steps needs the one before
//           the results
//   block   one block a row: largest and sum in     3 n s               online softmax: a sum can be rescaled when a
//           one go, then the results                                    larger number comes (Milakov, Gimelshein 2018)
//
// n: numbers of a row, s: bytes of one. -infinity marks a masked entry: it becomes exactly 0, and a row in which all
// are masked becomes all 0. A NaN or +infinity makes its whole row NaN, so that a fault upstream is seen.

#include <cmath>
#include <string>

#include "core/error.h"
#include "cuda/kernels/block_reduce.cuh"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// exp((x - largest) / temperature); 0 for a masked entry, also where all are masked.
__device__ __forceinline__ float softmax_weight(float x, float largest, float temperature) {
  return x == -INFINITY ? 0.0F : expf((x - largest) / temperature);
}

/// What a weight is divided by: not 0.
__device__ __forceinline__ float softmax_divisor(float sum) { return sum == 0 ? 1.0F : sum; }

/// x, y: [rows][columns], not the same memory. One thread a row.
template <typename T>
__global__ void softmax_thread(gptr<const T> x, gptr<T> y, float temperature, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * columns;
  float largest = -INFINITY;
  for (int i = 0; i < columns; ++i) largest = fmaxf(largest, to_float(x[first + i]));
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += softmax_weight(to_float(x[first + i]), largest, temperature);
  for (int i = 0; i < columns; ++i) {
    const float weight = softmax_weight(to_float(x[first + i]), largest, temperature);
    y[first + i] = from_float<T>(weight / softmax_divisor(sum));
  }
}

/// The same, one block a row.
template <typename T>
__global__ void softmax_block(gptr<const T> x, gptr<T> y, float temperature, int columns) {
  SIMT_SHARED(float[32], scratch);
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  float own_largest = -INFINITY, own_sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += static_cast<int>(blockDim.x)) {
    const float number = to_float(x[first + i]);
    if (number > own_largest) {  // what was added up so far was measured against a smaller one
      own_sum *= softmax_weight(own_largest, number, temperature);
      own_largest = number;
    }
    own_sum += softmax_weight(number, own_largest, temperature);
  }
  SIMT_SHOW("own largest", own_largest);
  SIMT_SHOW("own sum", own_sum);
  SIMT_PAUSE("own numbers");
  const float largest = first_block_max<float>(own_largest, scratch);
  const float sum = block_sum<float>(own_sum * softmax_weight(own_largest, largest, temperature), scratch);
  SIMT_SHOW("largest", largest);
  SIMT_SHOW("sum", sum);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += static_cast<int>(blockDim.x)) {
    const float weight = softmax_weight(to_float(x[first + i]), largest, temperature);
    y[first + i] = from_float<T>(weight / softmax_divisor(sum));
  }
}

enum class SoftmaxRung { thread, block };

/// MisuseError unless the temperature is above 0.
template <typename T>
void softmax(SoftmaxRung rung, Stream& stream, gptr<const T> x, gptr<T> y, float temperature, int rows, int columns) {
  if (!(temperature > 0 && temperature < INFINITY)) {
    throw MisuseError("softmax: a temperature is above 0 and finite, not " + std::to_string(temperature));
  }
  if (rows == 0 || columns == 0) return;
  const auto num_rows = static_cast<unsigned>(rows);
  if (rung == SoftmaxRung::thread) {
    launch(softmax_thread<T>, (num_rows + 127) / 128, 128, 0, stream, x, y, temperature, rows, columns);
  } else {
    launch(softmax_block<T>, num_rows, 128, 0, stream, x, y, temperature, columns);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
