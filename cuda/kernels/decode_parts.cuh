#pragma once
// Attention over a part of the keys, and how parts become one (Flash-Decoding: Dao, Haziza, Massa, Sizov 2023).

#include <cmath>
#include <string>

#include "core/error.h"
#include "cuda/kernels/decode_call.cuh"
#include "cuda/kernels/decode_splits.h"
#include "cuda/kernels/find_row.cuh"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// What each part found: finished rows, and their log-sum-exp to weigh them by. A head is one query head of one new
/// token. A part without keys has zeros and -infinity.
struct DecodeParts {
  gptr<float> out = nullptr;  ///< [head][split][dim]
  gptr<float> lse = nullptr;  ///< [head][split], natural logarithm
  unsigned splits = 1;        ///< 1: there are no parts, and no room for them is needed
};

/// MisuseError for a number of splits that there cannot be.
inline void expect_splits(const DecodeParts& parts) {
  if (parts.splits >= 1 && parts.splits <= kMostSplits) return;
  throw MisuseError("attention over " + std::to_string(parts.splits) + " splits; there are 1 to " +
                    std::to_string(kMostSplits));
}

/// The keys of this block: part blockIdx.y of `splits` nearly equal ones. All but the last are whole chunks, so that no
/// lane is idle there.
__device__ __forceinline__ TokensSeen part_of(const TokensSeen& seen, unsigned splits) {
  const unsigned chunks = (seen.end - seen.begin + kDecodeChunk - 1) / kDecodeChunk;
  const unsigned a_part = (chunks + splits - 1) / splits * kDecodeChunk;
  const unsigned begin = min(seen.begin + blockIdx.y * a_part, seen.end);
  return {seen.sequence, begin, min(begin + a_part, seen.end)};
}

/// One number of the result of a head, or of this block's part of it.
template <typename Call>
__device__ __forceinline__ void write_number(const Call& call, const DecodeParts& parts, std::size_t head,
                                             unsigned column, unsigned dim, float number) {
  if (parts.splits == 1) {
    call.out[head * dim + column] = from_float<typename Call::Number>(number);
  } else {
    parts.out[(head * parts.splits + blockIdx.y) * dim + column] = number;
  }
}

template <typename Call>
__device__ __forceinline__ void write_lse(const Call& call, const DecodeParts& parts, std::size_t head, float lse) {
  if (parts.splits > 1) {
    parts.lse[head * parts.splits + blockIdx.y] = lse;
  } else if (call.lse != nullptr) {
    call.lse[head] = lse;
  }
}

/// Block: head, thread: dimension. out = sum_s exp(lse_s - lse) out_s with lse = log sum_s exp(lse_s).
template <typename T>
__global__ void merge_decode_parts(DecodeParts parts, gptr<T> out, gptr<float> lse) {
  const std::size_t first = std::size_t{blockIdx.x} * parts.splits, dim = blockDim.x;
  float most = kNothingSeen;
  for (unsigned s = 0; s < parts.splits; ++s) most = fmaxf(most, parts.lse[first + s]);
  float sum = 0, weighted = 0;
  for (unsigned s = 0; s < parts.splits; ++s) {
    const float weight = fast_exp(parts.lse[first + s] - most);
    sum += weight;
    weighted += weight * parts.out[(first + s) * dim + threadIdx.x];
    SIMT_SHOW("weight", weight);
    SIMT_SHOW("sum", sum);
    SIMT_SHOW("weighted", weighted);
    SIMT_PAUSE("part");
  }
  out[blockIdx.x * dim + threadIdx.x] = from_float<T>(sum == 0.0F ? 0.0F : weighted / sum);
  if (lse != nullptr && threadIdx.x == 0) lse[blockIdx.x] = log_sum_exp(most, sum);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
