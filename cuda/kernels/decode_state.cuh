#pragma once
// The online softmax of several query heads at once, spread over the lanes that share a key.

#include "cuda/kernels/decode_call.cuh"
#include "cuda/kernels/lane_groups.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// What a lane knows of `heads` query heads after some keys: m = max score, l = sum exp2(score - m) and, of `numbers`
/// of the dimensions, acc = sum exp2(score - m) v. Scores are to the base 2: times log2(e), so that a weight is exp2().
template <int heads, int numbers>
struct DecodeState {
  float m[heads];
  float l[heads];
  float acc[heads][numbers];

  __device__ __forceinline__ void clear() {
    SIMT_UNROLL
    for (int h = 0; h < heads; ++h) {
      m[h] = kNothingSeen;
      l[h] = 0;
      SIMT_UNROLL
      for (int i = 0; i < numbers; ++i) acc[h][i] = 0;
    }
  }

  /// Turns the scores of some keys into their weights, and brings m, l and acc to the new maximum.
  template <int keys>
  __device__ __forceinline__ void weigh(float (&scores)[keys][heads]) {
    SIMT_UNROLL
    for (int h = 0; h < heads; ++h) {
      float new_m = m[h];
      SIMT_UNROLL
      for (int k = 0; k < keys; ++k) new_m = fmaxf(new_m, scores[k][h]);
      const float alpha = fast_exp2(m[h] - new_m);
      m[h] = new_m;
      l[h] *= alpha;
      SIMT_UNROLL
      for (int k = 0; k < keys; ++k) {
        scores[k][h] = fast_exp2(scores[k][h] - new_m);
        l[h] += scores[k][h];
      }
      SIMT_UNROLL
      for (int i = 0; i < numbers; ++i) acc[h][i] *= alpha;
    }
  }

  /// acc += weight v, of one key.
  __device__ __forceinline__ void add(const float (&weights)[heads], const float (&value)[numbers]) {
    SIMT_UNROLL
    for (int h = 0; h < heads; ++h) {
      SIMT_UNROLL
      for (int i = 0; i < numbers; ++i) acc[h][i] += weights[h] * value[i];
    }
  }

  /// Adds what the lanes of the same dimensions know, `lanes` apart in the warp: afterwards all of them know it.
  template <int lanes>
  __device__ __forceinline__ void merge_groups() {
    constexpr unsigned kAll = all_lanes<32>();
    SIMT_UNROLL
    for (int distance = lanes; distance < 32; distance *= 2) {
      SIMT_UNROLL
      for (int h = 0; h < heads; ++h) {
        const float new_m = fmaxf(m[h], __shfl_xor_sync(kAll, m[h], distance));
        const float alpha = fast_exp2(m[h] - new_m);
        m[h] = new_m;
        l[h] *= alpha;
        l[h] += __shfl_xor_sync(kAll, l[h], distance);
        SIMT_UNROLL
        for (int i = 0; i < numbers; ++i) {
          acc[h][i] *= alpha;
          acc[h][i] += __shfl_xor_sync(kAll, acc[h][i], distance);
        }
      }
    }
  }
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
