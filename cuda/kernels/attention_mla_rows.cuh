#pragma once
// Rungs rows and split of attention_mla: a row comes once for several heads, as their key and as their value.

#include "cuda/kernels/decode_parts.cuh"
#include "cuda/kernels/decode_state.cuh"
#include "cuda/kernels/find_row.cuh"
#include "cuda/kernels/kv_lanes.cuh"
#include "cuda/kernels/mla_call.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr int kMlaWarps = 4;  ///< of a block
inline constexpr int kMlaHeads = 4;  ///< of a warp

template <typename T>
struct alignas(2 * sizeof(T)) NumberPair {
  T at[2];
};

/// What a lane holds of a row: pairs lane, lane + 32, ... of its numbers, zeros behind its end.
template <typename T, int pairs>
struct LatentLanes {
  Words<NumberPair<T>> at[pairs];

  __device__ __forceinline__ void load(gptr<const T> row, unsigned width) {
    SIMT_UNROLL
    for (int p = 0; p < pairs; ++p) {
      const unsigned column = column_of(p);
      at[p] = {};
      if (column < width) at[p] = load_vec<Words<NumberPair<T>>>(row + column);
    }
  }
  __device__ __forceinline__ void unpack(float factor, float (&numbers)[2 * pairs]) const {
    SIMT_UNROLL
    for (int p = 0; p < pairs; ++p) {
      const NumberPair<T> pair = at[p].unpacked();
      numbers[2 * p] = factor * to_float(pair.at[0]);
      numbers[2 * p + 1] = factor * to_float(pair.at[1]);
    }
  }
  static __device__ __forceinline__ unsigned column_of(int pair) {
    return 2 * (threadIdx.x % 32 + static_cast<unsigned>(32 * pair));
  }
};

/// Walks over the keys that are seen. While a row is used the next one is on its way.
template <typename T, int pairs>
__device__ __forceinline__ void attend(const LatentKv<T>& kv, const TokensSeen& seen,
                                       const float (&queries)[kMlaHeads][2 * pairs],
                                       DecodeState<kMlaHeads, 2 * pairs>& state) {
  const unsigned width = kv.layout.head_dim;
  for (unsigned first = seen.begin; first < seen.end; first += kDecodeChunk) {
    const unsigned chunk = find_row(kv, seen, first, 0), count = min(kDecodeChunk, seen.end - first);
    const auto row_at = [&](unsigned key) {
      return kv.rows + std::size_t{__shfl_sync(all_lanes<32>(), chunk, static_cast<int>(key))} * width;
    };
    LatentLanes<T, pairs> row, next{};
    row.load(row_at(0), width);
    for (unsigned key = 0; key < count; ++key) {
      if (key + 1 < count) next.load(row_at(key + 1), width);
      float numbers[2 * pairs], scores[1][kMlaHeads];
      row.unpack(1, numbers);
      SIMT_UNROLL
      for (int h = 0; h < kMlaHeads; ++h) {
        float sum = 0;
        SIMT_UNROLL
        for (int i = 0; i < 2 * pairs; ++i) sum += queries[h][i] * numbers[i];
        scores[0][h] = warp_sum(sum);
      }
      SIMT_SHOW("score", scores[0][0]);
      state.weigh(scores);
      state.add(scores[0], numbers);
      SIMT_SHOW("m", state.m[0]);
      SIMT_SHOW("l", state.l[0]);
      SIMT_SHOW("acc", state.acc[0][0]);
      SIMT_PAUSE("row");
      row = next;
    }
  }
}

/// Grid: new tokens times tiles of kMlaWarps * kMlaHeads heads; splits. Each warp has heads of its own, so that the
/// warps need nothing of each other.
template <typename T, int pairs>
__global__ void __launch_bounds__(kMlaWarps * 32, 2) attention_mla_rows(AttentionMla<T> call, DecodeParts parts) {
  using Lanes = LatentLanes<T, pairs>;
  constexpr unsigned kHeads = kMlaWarps * kMlaHeads;
  const unsigned tiles = (call.heads + kHeads - 1) / kHeads, width = call.kv.layout.head_dim;
  const unsigned row = blockIdx.x / tiles, head = blockIdx.x % tiles * kHeads + threadIdx.x / 32 * kMlaHeads;
  if (head >= call.heads) return;  // the whole warp
  const unsigned count = min(call.heads - head, unsigned{kMlaHeads});
  const std::size_t first_head = std::size_t{row} * call.heads + head;
  float queries[kMlaHeads][2 * pairs];
  SIMT_UNROLL
  for (int h = 0; h < kMlaHeads; ++h) {
    Lanes query{};
    if (static_cast<unsigned>(h) < count) query.load(call.queries + (first_head + h) * width, width);
    query.unpack(call.scale * kLog2OfE, queries[h]);
  }
  DecodeState<kMlaHeads, 2 * pairs> state;
  state.clear();
  attend<T, pairs>(call.kv, part_of(tokens_seen(call, row), parts.splits), queries, state);

  SIMT_UNROLL
  for (int h = 0; h < kMlaHeads; ++h) {
    if (static_cast<unsigned>(h) >= count) continue;
    SIMT_UNROLL
    for (int i = 0; i < 2 * pairs; ++i) {
      const unsigned column = Lanes::column_of(i / 2) + static_cast<unsigned>(i % 2);
      if (column >= call.latent_dim) continue;
      const float out = state.l[h] == 0.0F ? 0.0F : state.acc[h][i] / state.l[h];
      write_number(call, parts, first_head + h, column, call.latent_dim, out);
    }
    if (threadIdx.x % 32 == 0) write_lse(call, parts, first_head + h, log_sum_exp(state.m[h] / kLog2OfE, state.l[h]));
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
