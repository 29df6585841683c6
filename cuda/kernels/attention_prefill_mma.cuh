#pragma once
// attention_prefill, third rung: FlashAttention-2 (Dao 2023, algorithm 1) by the tensor cores. A warp keeps the results
// of 32 rows in its registers while tiles of K and V pass through shared memory, two stages of them: one is copied
// while the other is multiplied. How matrices lie in registers: simt/fragment.h.

#include "cuda/kernels/attention_prefill_rows.cuh"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/cp_async.h"
#include "cuda/simt/math.h"
#include "cuda/simt/mma.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr int kMmaWarps = 4;
inline constexpr int kMmaRowTiles = 2;  ///< of 16 rows, of each warp: both use what is loaded of K and V
inline constexpr int kMmaWarpRows = 16 * kMmaRowTiles;
inline constexpr int kMmaRows = kMmaWarps * kMmaWarpRows;
inline constexpr int kMmaThreads = 32 * kMmaWarps;

/// Keys of a tile. The results of a row and its scores with a tile must fit into the 255 registers that a thread may
/// have: wide heads leave less for the scores.
template <int head_dim>
inline constexpr int kMmaKeys = head_dim > 64 ? 32 : 64;
template <int head_dim>
inline constexpr int kMmaKeyTiles = kMmaKeys<head_dim> / 8;  ///< of 8 columns of scores

/// Shared memory of a block. Rows are 16 bytes longer than a head: so the 8 rows that ldmatrix reads at a time lie in
/// different banks.
template <typename T, int head_dim>
struct MmaShared {
  static constexpr int kStride = head_dim + 8;
  static constexpr int kTile = kMmaKeys<head_dim> * kStride;  ///< of K, or of V
  static constexpr std::size_t kBytes = (kMmaRows * kStride + 4 * kTile) * sizeof(T);
  sptr<T> begin;

  __device__ __forceinline__ sptr<T> queries() const { return begin; }
  __device__ __forceinline__ sptr<T> keys(unsigned tile) const {
    return begin + (kMmaRows * kStride + static_cast<int>(tile % 2) * 2 * kTile);
  }
  __device__ __forceinline__ sptr<T> values(unsigned tile) const { return keys(tile) + kTile; }
};

/// Of one warp. A lane has rows lane / 4 and 8 further of each tile of 16 (halves 0 and 1), and of each row two of
/// every 8 columns.
template <int head_dim>
struct MmaState {
  float most[kMmaRowTiles][2];  ///< the largest score so far
  float sum[kMmaRowTiles][2];   ///< of this lane's weights
  float out[kMmaRowTiles][head_dim / 8][4];
};

template <int head_dim>
using MmaScores = float[kMmaRowTiles][kMmaKeyTiles<head_dim>][4];

__device__ __forceinline__ int lane_of_warp() { return static_cast<int>(threadIdx.x % 32); }

/// Begins to copy the rows of this block. Those that do not exist become zero.
template <typename T, int head_dim>
__device__ __forceinline__ void copy_queries(const MmaShared<T, head_dim>& shared, const AttentionPrefill<T>& batch,
                                             const PrefillRows& rows, unsigned first_row) {
  constexpr int kChunks = head_dim / 8;  // of 16 bytes
  for (int i = static_cast<int>(threadIdx.x); i < kMmaRows * kChunks; i += kMmaThreads) {
    const unsigned row = first_row + static_cast<unsigned>(i / kChunks);
    const int column = 8 * (i % kChunks);
    cp_async16(shared.queries() + (i / kChunks * shared.kStride + column),
               batch.queries + query_offset(batch, rows, rows.or_last(row)) + column, row < rows.count ? 16 : 0);
  }
}

/// In which slot of the cache the key lies that this lane looks up: each warp copies a quarter of a tile's rows, and
/// its lanes know one of them each. Keys from `end` on have no slot, and the last one's stands for them.
template <int head_dim, typename T>
__device__ __forceinline__ unsigned look_up_slot(const AttentionPrefill<T>& batch, const PrefillRows& rows,
                                                 unsigned tile, unsigned end) {
  constexpr unsigned kKeysOfWarp = kMmaKeys<head_dim> / kMmaWarps;
  const unsigned key = tile * kMmaKeys<head_dim> + threadIdx.x / 32 * kKeysOfWarp + threadIdx.x % kKeysOfWarp;
  return slot_of(batch.cache.tables, batch.cache.layout.block_size, rows.sequence, key < end ? key : end - 1);
}

/// Begins to copy a tile of K and V. `slot`: what look_up_slot() gave for it.
template <typename T, int head_dim>
__device__ __forceinline__ void copy_tile(const MmaShared<T, head_dim>& shared, const AttentionPrefill<T>& batch,
                                          const PrefillRows& rows, unsigned tile, unsigned slot, unsigned end) {
  constexpr int kChunks = head_dim / 8, kKeysOfWarp = kMmaKeys<head_dim> / kMmaWarps;
  const int first_of_warp = static_cast<int>(threadIdx.x) / 32 * kKeysOfWarp;
  SIMT_UNROLL
  for (int first = 0; first < kKeysOfWarp * kChunks; first += 32) {
    const int row = (first + lane_of_warp()) / kChunks, column = 8 * ((first + lane_of_warp()) % kChunks);
    const std::size_t from =
        batch.cache.layout.slot_offset(__shfl_sync(0xFFFFFFFFU, slot, row)) + rows.kv_head * head_dim + column;
    const int to = (first_of_warp + row) * shared.kStride + column;
    const int bytes = tile * kMmaKeys<head_dim> + static_cast<unsigned>(first_of_warp + row) < end ? 16 : 0;
    cp_async16(shared.keys(tile) + to, batch.cache.keys + from, bytes);
    cp_async16(shared.values(tile) + to, batch.cache.values + from, bytes);
  }
}

/// scores += Q K^T, for the rows of the warp and one tile of keys.
template <typename T, int head_dim>
__device__ __forceinline__ void multiply_keys(MmaScores<head_dim>& scores, const MmaShared<T, head_dim>& shared,
                                              unsigned tile) {
  const int lane = lane_of_warp();
  const int first_row = static_cast<int>(threadIdx.x) / 32 * kMmaWarpRows;
  const sptr<T> query = shared.queries() + ((first_row + lane % 16) * shared.kStride + 8 * (lane / 16));
  const sptr<T> key = shared.keys(tile) + ((8 * (lane / 16) + lane % 8) * shared.kStride + 8 * (lane / 8 % 2));
  SIMT_UNROLL
  for (int d = 0; d < head_dim; d += 16) {
    std::uint32_t a[kMmaRowTiles][4];
    SIMT_UNROLL
    for (int r = 0; r < kMmaRowTiles; ++r) ldmatrix_x4<false>(a[r], query + (16 * r * shared.kStride + d));
    SIMT_UNROLL
    for (int k = 0; k < kMmaKeyTiles<head_dim>; k += 2) {
      std::uint32_t b[4];  // of 16 keys
      ldmatrix_x4<false>(b, key + (8 * k * shared.kStride + d));
      const std::uint32_t low[2] = {b[0], b[1]}, high[2] = {b[2], b[3]};
      SIMT_UNROLL
      for (int r = 0; r < kMmaRowTiles; ++r) {
        mma_m16n8k16<T>(scores[r][k], a[r], low, scores[r][k]);
        mma_m16n8k16<T>(scores[r][k + 1], a[r], high, scores[r][k + 1]);
      }
    }
  }
}

/// Which row of the sequence a lane has in a tile of 16.
__device__ __forceinline__ unsigned row_of_lane(unsigned first_row_of_warp, int row_tile, int half) {
  return first_row_of_warp + static_cast<unsigned>(16 * row_tile + c_row(lane_of_warp(), 2 * half));
}

/// Takes out the scores of keys that a row does not see.
template <int head_dim, typename T>
__device__ __forceinline__ void mask_scores(MmaScores<head_dim>& scores, const AttentionPrefill<T>& batch,
                                            unsigned first_row_of_warp, unsigned tile) {
  const PrefillRows rows = prefill_rows(batch, blockIdx.z, blockIdx.y);
  SIMT_UNROLL
  for (int r = 0; r < kMmaRowTiles; ++r) {
    SIMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Visible seen = visible(batch, rows, rows.or_last(row_of_lane(first_row_of_warp, r, half)));
      SIMT_UNROLL
      for (int k = 0; k < kMmaKeyTiles<head_dim>; ++k) {
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i) {
          const unsigned key = tile * kMmaKeys<head_dim> + static_cast<unsigned>(8 * k + c_column(lane_of_warp(), i));
          if (!seen.sees(key)) scores[r][k][2 * half + i] = -INFINITY;
        }
      }
    }
  }
}

/// The online softmax: scores become weights, and what was added up so far is scaled to the new maximum.
template <int head_dim>
__device__ __forceinline__ void weigh(MmaState<head_dim>& state, MmaScores<head_dim>& scores, int r, int half,
                                      float scale) {
  float most = state.most[r][half];
  SIMT_UNROLL
  for (int k = 0; k < kMmaKeyTiles<head_dim>; ++k) {
    most = fmaxf(most, fmaxf(scores[r][k][2 * half], scores[r][k][2 * half + 1]));
  }
  most = group_max<4>(all_lanes<32>(), most);                       // the four lanes of a row
  const float reference = most == -INFINITY ? 0.0F : most * scale;  // nothing is seen yet: all weights become 0
  const float shrink = fast_exp2(state.most[r][half] * scale - reference);
  state.most[r][half] = most;
  float sum = state.sum[r][half] * shrink;
  SIMT_UNROLL
  for (int k = 0; k < kMmaKeyTiles<head_dim>; ++k) {
    SIMT_UNROLL
    for (int i = 2 * half; i < 2 * half + 2; ++i) {
      scores[r][k][i] = fast_exp2(scores[r][k][i] * scale - reference);
      sum += scores[r][k][i];
    }
  }
  state.sum[r][half] = sum;
  SIMT_UNROLL
  for (int d = 0; d < head_dim / 8; ++d) {
    state.out[r][d][2 * half] *= shrink;
    state.out[r][d][2 * half + 1] *= shrink;
  }
}

/// out += P V. The weights of two tiles of 8 columns are, as they lie in the registers, one tile of 16 columns of A.
template <typename T, int head_dim>
__device__ __forceinline__ void multiply_values(MmaState<head_dim>& state, const MmaScores<head_dim>& weights,
                                                const MmaShared<T, head_dim>& shared, unsigned tile) {
  const int lane = lane_of_warp();
  const sptr<T> value = shared.values(tile) + (lane % 16 * shared.kStride + 8 * (lane / 16));
  SIMT_UNROLL
  for (int k = 0; k < kMmaKeyTiles<head_dim>; k += 2) {
    std::uint32_t a[kMmaRowTiles][4];
    SIMT_UNROLL
    for (int r = 0; r < kMmaRowTiles; ++r) {
      SIMT_UNROLL
      for (int i = 0; i < 4; ++i) {
        const float(&two)[4] = weights[r][k + i / 2];
        a[r][i] = rounded_pair<T>(two[2 * (i % 2)], two[2 * (i % 2) + 1]);
      }
    }
    SIMT_UNROLL
    for (int d = 0; d < head_dim / 8; d += 2) {
      std::uint32_t b[4];  // of 16 keys and 16 of their numbers
      ldmatrix_x4<true>(b, value + (8 * k * shared.kStride + 8 * d));
      const std::uint32_t low[2] = {b[0], b[1]}, high[2] = {b[2], b[3]};
      SIMT_UNROLL
      for (int r = 0; r < kMmaRowTiles; ++r) {
        mma_m16n8k16<T>(state.out[r][d], a[r], low, state.out[r][d]);
        mma_m16n8k16<T>(state.out[r][d + 1], a[r], high, state.out[r][d + 1]);
      }
    }
  }
}

template <typename T, int head_dim>
__device__ __forceinline__ void store_results(const MmaState<head_dim>& state, const AttentionPrefill<T>& batch,
                                              unsigned first_row_of_warp) {
  const PrefillRows rows = prefill_rows(batch, blockIdx.z, blockIdx.y);
  SIMT_UNROLL
  for (int r = 0; r < kMmaRowTiles; ++r) {
    SIMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float sum = group_sum<4>(all_lanes<32>(), state.sum[r][half]);
      const float inverse = sum == 0 ? 0.0F : 1 / sum;
      const unsigned row = row_of_lane(first_row_of_warp, r, half);
      if (row >= rows.count) continue;
      const gptr<T> out = batch.out + query_offset(batch, rows, row) + c_column(lane_of_warp(), 0);
      SIMT_UNROLL
      for (int d = 0; d < head_dim / 8; ++d) {
        store_vec(out + 8 * d,
                  rounded_pair<T>(state.out[r][d][2 * half] * inverse, state.out[r][d][2 * half + 1] * inverse));
      }
    }
  }
}

template <int head_dim>
__device__ __forceinline__ void clear(MmaState<head_dim>& state) {
  SIMT_UNROLL
  for (int r = 0; r < kMmaRowTiles; ++r) {
    SIMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      state.most[r][half] = -INFINITY;
      state.sum[r][half] = 0;
    }
    SIMT_UNROLL
    for (int i = 0; i < head_dim / 2; ++i) state.out[r][i / 4][i % 4] = 0;
  }
}

/// blockIdx: tile of rows, the last first, since it sees most; KV head; sequence. T: f16 or bf16.
template <typename T, int head_dim>
__global__ void attention_prefill_mma(AttentionPrefill<T> batch, float scale) {
  constexpr unsigned kKeys = kMmaKeys<head_dim>;
  SIMT_DYNAMIC_SHARED(T, tiles);
  const MmaShared<T, head_dim> shared{tiles};
  const PrefillRows rows = prefill_rows(batch, blockIdx.z, blockIdx.y);
  const unsigned first_row = (gridDim.x - 1 - blockIdx.x) * kMmaRows;
  if (first_row >= rows.count) return;
  const unsigned first_of_warp = first_row + threadIdx.x / 32 * kMmaWarpRows;
  const unsigned end = keys_end(batch, rows, rows.or_last(first_row + kMmaRows - 1));
  const unsigned end_of_warp = keys_end(batch, rows, rows.or_last(first_of_warp + kMmaWarpRows - 1));
  const unsigned seen_by_all = visible(batch, rows, rows.or_last(first_of_warp)).all;

  MmaState<head_dim> state;
  clear(state);
  copy_queries(shared, batch, rows, first_row);
  copy_tile(shared, batch, rows, 0, look_up_slot<head_dim>(batch, rows, 0, end), end);
  cp_async_commit();
  unsigned next_slot = look_up_slot<head_dim>(batch, rows, 1, end);
  for (unsigned tile = 0; tile * kKeys < end; ++tile) {
    cp_async_wait<0>();
    __syncthreads();  // the tile has come, and nobody reads the one before it any more
    if ((tile + 1) * kKeys < end) copy_tile(shared, batch, rows, tile + 1, next_slot, end);
    cp_async_commit();
    next_slot = look_up_slot<head_dim>(batch, rows, tile + 2, end);
    if (tile * kKeys >= end_of_warp) continue;
    MmaScores<head_dim> scores = {};
    multiply_keys(scores, shared, tile);
    if (seen_by_all < (tile + 1) * kKeys) mask_scores<head_dim>(scores, batch, first_of_warp, tile);
    SIMT_SHOW("row", row_of_lane(first_of_warp, 0, 0));
    SIMT_SHOW("score", scores[0][0][0]);
    SIMT_PAUSE("scores");
    SIMT_UNROLL
    for (int r = 0; r < kMmaRowTiles; ++r) {
      weigh(state, scores, r, 0, scale);
      weigh(state, scores, r, 1, scale);
    }
    multiply_values(state, scores, shared, tile);
    SIMT_SHOW("most", state.most[0][0]);
    SIMT_SHOW("sum", state.sum[0][0]);
    SIMT_SHOW("out", state.out[0][0][0]);
    SIMT_PAUSE("tile");
  }
  store_results(state, batch, first_of_warp);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
