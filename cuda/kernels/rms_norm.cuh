#pragma once
// y[t][j] = weight[j] * x[t][j] / sqrt(mean_k(x[t][k]^2) + epsilon)   (Zhang and Sennrich 2019, equation 4)
//
//   rung            idea                                   bytes moved a token     what to learn
//   thread_a_token  one thread walks along a row, twice    3 w s (+ w s weight)    neighbouring threads read numbers
//                                                                                  a row apart: a sector for each
//   warp_a_token    32 lanes walk side by side, add up by  3 w s (+ w s weight)    coalescing; a sum across lanes
//                   shuffles
//   block_a_token   a whole block, 16 bytes a thread; the  2 w s (+ w s weight)    the floor: each number is read and
//                   row stays in registers                                         written once; a sum across warps
//
// w: width, s: bytes of a number. The weight comes from the cache after the first tokens. Sums are in float.

#include <string>

#include "core/error.h"
#include "cuda/kernels/block_reduce.cuh"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/math.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// x: [tokens][width], weight: [width], y: tokens rows of `width` numbers, y_stride apart. One thread a token.
template <typename T>
__global__ void rms_norm_thread(gptr<const T> x, gptr<const T> weight, float epsilon, gptr<T> y, int tokens, int width,
                                int y_stride) {
  const int token = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (token >= tokens) return;
  const gptr<const T> row = x + static_cast<long long>(token) * width;
  const gptr<T> out = y + static_cast<long long>(token) * y_stride;
  float sum = 0;
  for (int i = 0; i < width; ++i) {
    const float number = to_float(row[i]);
    sum += number * number;
  }
  SIMT_SHOW("sum", sum);
  const float scale = reciprocal_root(sum / static_cast<float>(width) + epsilon);
  for (int i = 0; i < width; ++i) out[i] = from_float<T>(to_float(weight[i]) * to_float(row[i]) * scale);
}

/// The same; one warp a token, blockDim.x / 32 tokens a block.
template <typename T>
__global__ void rms_norm_warp(gptr<const T> x, gptr<const T> weight, float epsilon, gptr<T> y, int tokens, int width,
                              int y_stride) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int token = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (token >= tokens) return;  // the whole warp
  const gptr<const T> row = x + static_cast<long long>(token) * width;
  const gptr<T> out = y + static_cast<long long>(token) * y_stride;
  float sum = 0;
  for (int i = lane; i < width; i += 32) {
    const float number = to_float(row[i]);
    sum += number * number;
  }
  SIMT_SHOW("sum", sum);
  const float scale = reciprocal_root(warp_sum(sum) / static_cast<float>(width) + epsilon);
  for (int i = lane; i < width; i += 32) out[i] = from_float<T>(to_float(weight[i]) * to_float(row[i]) * scale);
}

inline constexpr int kMostNormThreads = 1024;

/// The same; one block a token, every thread one Pack<T>: width = blockDim.x * Pack<T>::kCount at most, a multiple of
/// kCount.
template <typename T>
__global__ void rms_norm_block(gptr<const T> x, gptr<const T> weight, float epsilon, gptr<T> y, int width,
                               int y_stride) {
  SIMT_SHARED(float[kMostNormThreads / 32], warp_sums);
  const int first = static_cast<int>(threadIdx.x) * Pack<T>::kCount;
  const long long row = static_cast<long long>(blockIdx.x) * width;
  const bool has_numbers = first < width;
  Pack<T> numbers{};
  float sum = 0;
  if (has_numbers) {
    numbers = load_vec<Pack<T>>(x + (row + first));
    SIMT_UNROLL
    for (int i = 0; i < Pack<T>::kCount; ++i) sum += to_float(numbers.at[i]) * to_float(numbers.at[i]);
  }
  SIMT_SHOW("sum", sum);
  const float total = first_block_sum<float>(sum, warp_sums);
  SIMT_SHOW("total", total);
  if (!has_numbers) return;
  const float scale = reciprocal_root(total / static_cast<float>(width) + epsilon);
  const Pack<T> weights = load_vec<Pack<T>>(weight + first);
  SIMT_UNROLL
  for (int i = 0; i < Pack<T>::kCount; ++i) {
    numbers.at[i] = from_float<T>(to_float(weights.at[i]) * to_float(numbers.at[i]) * scale);
  }
  store_vec(y + (static_cast<long long>(blockIdx.x) * y_stride + first), numbers);
}

enum class RmsNormRung { thread_a_token, warp_a_token, block_a_token };

/// Whether rung block_a_token can take rows of this width.
template <typename T>
constexpr bool fits_block(int width) {
  return fits_packs<T>(width) && width <= kMostNormThreads * Pack<T>::kCount;
}

/// x: [tokens][width]; y: tokens rows of `width` numbers, y_stride apart, 0: one behind the other; not the same memory;
/// weight: [width]. MisuseError when the rung cannot take the width or the stride.
template <typename T>
void rms_norm(RmsNormRung rung, Stream& stream, gptr<const T> x, gptr<const T> weight, float epsilon, gptr<T> y,
              int tokens, int width, int y_stride = 0) {
  if (tokens == 0) return;
  if (y_stride == 0) y_stride = width;
  constexpr unsigned kThreads = 128;
  const auto num_tokens = static_cast<unsigned>(tokens);
  if (rung == RmsNormRung::thread_a_token) {
    launch(rms_norm_thread<T>, (num_tokens + kThreads - 1) / kThreads, kThreads, 0, stream, x, weight, epsilon, y,
           tokens, width, y_stride);
  } else if (rung == RmsNormRung::warp_a_token) {
    constexpr unsigned kWarps = kThreads / 32;
    launch(rms_norm_warp<T>, (num_tokens + kWarps - 1) / kWarps, kThreads, 0, stream, x, weight, epsilon, y, tokens,
           width, y_stride);
  } else {
    if (!fits_block<T>(width) || y_stride % Pack<T>::kCount != 0) {
      throw MisuseError("rms_norm: one block a token takes rows of a multiple of " + std::to_string(Pack<T>::kCount) +
                        " numbers, at most " + std::to_string(kMostNormThreads * Pack<T>::kCount) + ", not of " +
                        std::to_string(width) + (y_stride == width ? "" : ", " + std::to_string(y_stride) + " apart"));
    }
    const auto packs = static_cast<unsigned>(width / Pack<T>::kCount);
    launch(rms_norm_block<T>, num_tokens, (packs + 31) / 32 * 32, 0, stream, x, weight, epsilon, y, width, y_stride);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
