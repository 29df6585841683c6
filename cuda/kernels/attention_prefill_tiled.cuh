#pragma once
// attention_prefill, second rung: a block takes a tile of rows, and tiles of K and V come to shared memory, where all
// of its rows read them. The online softmax (Milakov and Gimelshein 2018, algorithm 3) makes one pass enough: what was
// added up so far is scaled whenever a larger score is found.

#include "cuda/kernels/attention_prefill_rows.cuh"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/math.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr int kTiledRows = 32;
inline constexpr int kTiledKeys = 16;
inline constexpr int kTiledLanes = 4;  ///< that share a row: each has every fourth key, then every fourth float4
inline constexpr int kTiledThreads = kTiledRows * kTiledLanes;

/// What a thread moves at once: float4 in shared memory.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};
template <typename T>
__device__ __forceinline__ float4 load_four(gptr<const T> from) {
  const auto four = load_vec<Four<T>>(from);
  return {to_float(four.at[0]), to_float(four.at[1]), to_float(four.at[2]), to_float(four.at[3])};
}
__device__ __forceinline__ float dot(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ __forceinline__ void scale_by(float4& x, float factor) {
  x = {x.x * factor, x.y * factor, x.z * factor, x.w * factor};
}
__device__ __forceinline__ void add_scaled(float4& to, float scale, const float4& x) {
  to.x += scale * x.x;
  to.y += scale * x.y;
  to.z += scale * x.z;
  to.w += scale * x.w;
}

/// Where the tiles of one block lie. Rows are 4 numbers longer than a head: rows that lie a multiple of 128 bytes apart
/// would share their banks.
template <int head_dim>
struct TiledShared {
  static constexpr int kStride = head_dim + 4;
  static constexpr int kWeightStride = kTiledKeys + 4;
  sptr<float> queries;  ///< [kTiledRows][kStride]
  sptr<float> keys;     ///< [kTiledKeys][kStride]
  sptr<float> values;   ///< the same
  sptr<float> weights;  ///< [kTiledRows][kWeightStride]
};

/// What a thread knows of its row: the largest score so far, the sum of its own weights and its part of the result.
template <int head_dim>
struct TiledState {
  static constexpr int kFours = head_dim / 4 / kTiledLanes;
  float most = -INFINITY;
  float sum = 0;
  float4 out[kFours] = {};
};

template <typename T, int head_dim>
__device__ __forceinline__ void load_query_tile(const TiledShared<head_dim>& shared, const AttentionPrefill<T>& batch,
                                                const PrefillRows& rows, unsigned first_row) {
  constexpr int kFours = head_dim / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kTiledRows * kFours; i += kTiledThreads) {
    const unsigned row = first_row + static_cast<unsigned>(i / kFours);
    float4 numbers{};
    if (row < rows.count) numbers = load_four<T>(batch.queries + query_offset(batch, rows, row) + 4 * (i % kFours));
    store_vec(shared.queries + (i / kFours * shared.kStride + 4 * (i % kFours)), numbers);
  }
}

template <typename T, int head_dim>
__device__ __forceinline__ void load_key_tile(const TiledShared<head_dim>& shared, const AttentionPrefill<T>& batch,
                                              const PrefillRows& rows, unsigned first_key, unsigned end) {
  constexpr int kFours = head_dim / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kTiledKeys * kFours; i += kTiledThreads) {
    const unsigned key = first_key + static_cast<unsigned>(i / kFours);
    float4 numbers_of_key{}, numbers_of_value{};
    if (key < end) {
      const std::size_t from =
          row_offset(batch.cache.tables, batch.cache.layout, rows.sequence, key, rows.kv_head) + 4 * (i % kFours);
      numbers_of_key = load_four<T>(batch.cache.keys + from);
      numbers_of_value = load_four<T>(batch.cache.values + from);
    }
    store_vec(shared.keys + (i / kFours * shared.kStride + 4 * (i % kFours)), numbers_of_key);
    store_vec(shared.values + (i / kFours * shared.kStride + 4 * (i % kFours)), numbers_of_value);
  }
}

/// The scores of a row with this lane's keys of the tile, by the power of two that they stand for.
template <int head_dim>
__device__ __forceinline__ void tile_scores(float (&scores)[kTiledKeys / kTiledLanes],
                                            const TiledShared<head_dim>& shared, const Visible& seen,
                                            unsigned first_key, float scale) {
  const int row = static_cast<int>(threadIdx.x) / kTiledLanes, lane = static_cast<int>(threadIdx.x) % kTiledLanes;
  SIMT_UNROLL
  for (int d = 0; d < head_dim; d += 4) {
    const auto query = load_vec<float4>(shared.queries + (row * shared.kStride + d));
    SIMT_UNROLL
    for (int i = 0; i < kTiledKeys / kTiledLanes; ++i) {
      scores[i] += dot(query, load_vec<float4>(shared.keys + ((kTiledLanes * i + lane) * shared.kStride + d)));
    }
  }
  SIMT_UNROLL
  for (int i = 0; i < kTiledKeys / kTiledLanes; ++i) {
    const unsigned key = first_key + static_cast<unsigned>(kTiledLanes * i + lane);
    scores[i] = seen.sees(key) ? scores[i] * scale : -INFINITY;
  }
}

/// One tile: scores, weights, and the values that they weigh.
template <int head_dim>
__device__ __forceinline__ void add_tile(TiledState<head_dim>& state, const TiledShared<head_dim>& shared,
                                         const Visible& seen, unsigned first_key, float scale) {
  constexpr int kScores = kTiledKeys / kTiledLanes;
  const int row = static_cast<int>(threadIdx.x) / kTiledLanes, lane = static_cast<int>(threadIdx.x) % kTiledLanes;
  float scores[kScores] = {};
  tile_scores(scores, shared, seen, first_key, scale);
  SIMT_SHOW("score", scores[0]);
  SIMT_PAUSE("scores");
  float most = state.most;
  SIMT_UNROLL
  for (int i = 0; i < kScores; ++i) most = fmaxf(most, scores[i]);
  most = group_max<kTiledLanes>(all_lanes<32>(), most);
  const float reference = most == -INFINITY ? 0.0F : most;  // nothing is seen yet: all weights become 0
  const float shrink = fast_exp2(state.most - reference);
  state.most = most;
  state.sum *= shrink;
  SIMT_UNROLL
  for (int i = 0; i < kScores; ++i) {
    const float weight = fast_exp2(scores[i] - reference);
    state.sum += weight;
    shared.weights[row * shared.kWeightStride + kTiledLanes * i + lane] = weight;
  }
  SIMT_UNROLL
  for (int i = 0; i < state.kFours; ++i) scale_by(state.out[i], shrink);
  __syncwarp();  // the weights of a row are its four lanes'
  for (int key = 0; key < kTiledKeys; ++key) {
    const float weight = shared.weights[row * shared.kWeightStride + key];
    SIMT_UNROLL
    for (int i = 0; i < state.kFours; ++i) {
      add_scaled(state.out[i], weight,
                 load_vec<float4>(shared.values + (key * shared.kStride + 4 * (kTiledLanes * i + lane))));
    }
  }
  SIMT_SHOW("most", state.most);
  SIMT_SHOW("shrink", shrink);
  SIMT_SHOW("sum", state.sum);
  SIMT_SHOW("out", state.out[0].x);
  SIMT_PAUSE("tile");
}

template <typename T, int head_dim>
__device__ __forceinline__ void store_result(const TiledState<head_dim>& state, gptr<T> out) {
  const int lane = static_cast<int>(threadIdx.x) % kTiledLanes;
  const float inverse = state.sum == 0 ? 0.0F : 1 / state.sum;
  SIMT_UNROLL
  for (int i = 0; i < state.kFours; ++i) {
    const float4& four = state.out[i];
    store_vec(out + 4 * (kTiledLanes * i + lane),
              Four<T>{from_float<T>(four.x * inverse), from_float<T>(four.y * inverse), from_float<T>(four.z * inverse),
                      from_float<T>(four.w * inverse)});
  }
}

/// blockIdx: tile of rows, the last first, since it sees most; KV head; sequence.
template <typename T, int head_dim>
__global__ void attention_prefill_tiled(AttentionPrefill<T> batch, float scale) {
  using Shared = TiledShared<head_dim>;
  SIMT_SHARED(float[kTiledRows * Shared::kStride], query_tile);
  SIMT_SHARED(float[kTiledKeys * Shared::kStride], key_tile);
  SIMT_SHARED(float[kTiledKeys * Shared::kStride], value_tile);
  SIMT_SHARED(float[kTiledRows * Shared::kWeightStride], weights);
  const Shared shared{query_tile, key_tile, value_tile, weights};
  const PrefillRows rows = prefill_rows(batch, blockIdx.z, blockIdx.y);
  const unsigned first_row = (gridDim.x - 1 - blockIdx.x) * kTiledRows;
  if (first_row >= rows.count) return;
  load_query_tile(shared, batch, rows, first_row);
  // Rows behind the last one do as it does, and store nothing.
  const unsigned my_row = first_row + threadIdx.x / kTiledLanes;
  const Visible seen = visible(batch, rows, rows.or_last(my_row));
  const unsigned end = keys_end(batch, rows, rows.or_last(first_row + kTiledRows - 1));
  TiledState<head_dim> state;
  for (unsigned first_key = 0; first_key < end; first_key += kTiledKeys) {
    load_key_tile(shared, batch, rows, first_key, end);
    __syncthreads();  // the tile is there
    add_tile(state, shared, seen, first_key, scale);
    __syncthreads();  // nobody reads it any more
  }
  state.sum = group_sum<kTiledLanes>(all_lanes<32>(), state.sum);
  if (my_row < rows.count) store_result<T>(state, batch.out + query_offset(batch, rows, my_row));
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
