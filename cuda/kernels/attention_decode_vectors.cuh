#pragma once
// Rungs vectors and split of attention_decode: one load of a key serves all query heads of its KV head.

#include "cuda/kernels/decode_parts.cuh"
#include "cuda/kernels/decode_state.cuh"
#include "cuda/kernels/find_row.cuh"
#include "cuda/kernels/kv_lanes.cuh"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr int kDecodeWarps = 4;  ///< of a block

/// Blocks that a multiprocessor has registers for: the more query heads, the more of them a thread needs.
template <int heads>
inline constexpr int kDecodeBlocks = heads <= 2   ? 4
                                     : heads <= 4 ? 3
                                                  : 2;

/// How a warp of the kernel for these heads is laid out.
template <typename Kv, int dim, int heads>
struct DecodeTile {
  using Lanes = KvLanes<Kv, dim>;
  static constexpr int kDim = dim;
  static constexpr int kNumbers = Lanes::kNumbers;                       ///< of a row, in each lane
  static constexpr int kLanes = dim / kNumbers;                          ///< that share a key
  static constexpr int kGroups = 32 / kLanes;                            ///< keys side by side in a warp
  static constexpr int kMostKeys = heads <= 4 ? 4 : 2;                   ///< as registers allow
  static constexpr int kKeys = kLanes < kMostKeys ? kLanes : kMostKeys;  ///< of a lane, loaded before any is used
  static constexpr int kSteps = kLanes / kKeys;                          ///< of kGroups * kKeys keys: together a chunk
  static_assert(kLanes >= 1 && kLanes <= 32 && kLanes * kNumbers == dim, "a warp shares the row of a key");
};

/// The row of key `k` of this lane in a step of a chunk.
template <typename Tile>
__device__ __forceinline__ unsigned row_of(unsigned rows, int step, int k) {
  const int group = static_cast<int>(threadIdx.x % 32) / Tile::kLanes;
  return __shfl_sync(all_lanes<32>(), rows, (step * Tile::kKeys + k) * Tile::kGroups + group);
}

/// The query heads [first, first + heads) of which `count` are there, times `factor`; each lane its own numbers.
template <typename T, int heads, int numbers>
__device__ __forceinline__ void load_queries(gptr<const T> queries, unsigned count, unsigned dim, float factor,
                                             float (&to)[heads][numbers]) {
  SIMT_UNROLL
  for (int h = 0; h < heads; ++h) {
    SIMT_UNROLL
    for (int i = 0; i < numbers; i += Pack<T>::kCount) {
      Pack<T> pack{};
      if (static_cast<unsigned>(h) < count) pack = load_vec<Pack<T>>(queries + (h * dim + static_cast<unsigned>(i)));
      SIMT_UNROLL
      for (int j = 0; j < Pack<T>::kCount; ++j) to[h][i + j] = factor * to_float(pack.at[j]);
    }
  }
}

/// scores[k][h] = q_h . k_k for the keys of a step, in all lanes that share the key; -infinity where there is no key.
template <typename Tile, int heads>
__device__ __forceinline__ void score(const float (&queries)[heads][Tile::kNumbers],
                                      const unsigned (&rows)[Tile::kKeys],
                                      const typename Tile::Lanes::Held (&keys)[Tile::kKeys],
                                      float (&scores)[Tile::kKeys][heads]) {
  SIMT_UNROLL
  for (int k = 0; k < Tile::kKeys; ++k) {
    float key[Tile::kNumbers];
    Tile::Lanes::unpack(keys[k], key);
    SIMT_UNROLL
    for (int h = 0; h < heads; ++h) {
      float sum = 0;
      SIMT_UNROLL
      for (int i = 0; i < Tile::kNumbers; ++i) sum += queries[h][i] * key[i];
      sum = group_sum<Tile::kLanes>(all_lanes<32>(), sum);
      scores[k][h] = rows[k] == kNoRow ? -INFINITY : sum;
    }
  }
}

/// Walks over the keys of one warp: chunk `warp`, then every kDecodeWarps-th. While the keys of a step are multiplied
/// its values are on their way, and while the values are added the keys of the next step are. Rows are looked up two
/// chunks ahead.
template <typename Tile, typename Kv, int heads>
__device__ __forceinline__ void attend(const Kv& kv, const TokensSeen& seen, unsigned kv_head,
                                       const float (&queries)[heads][Tile::kNumbers],
                                       DecodeState<heads, Tile::kNumbers>& state) {
  using Lanes = typename Tile::Lanes;
  constexpr unsigned kStride = kDecodeWarps * kDecodeChunk;
  const unsigned column = threadIdx.x % Tile::kLanes * Tile::kNumbers;
  unsigned rows[Tile::kKeys];  // of the keys that are held
  typename Lanes::Held keys[Tile::kKeys], values[Tile::kKeys];
  const auto load_keys = [&](unsigned chunk, int step) {
    SIMT_UNROLL
    for (int k = 0; k < Tile::kKeys; ++k) {
      rows[k] = row_of<Tile>(chunk, step, k);
      keys[k] = {};
      if (rows[k] != kNoRow) keys[k] = Lanes::key(kv, rows[k], column);
    }
  };

  unsigned first = seen.begin + threadIdx.x / 32 * kDecodeChunk;
  unsigned chunk = find_row(kv, seen, first, kv_head), next_chunk = find_row(kv, seen, first + kStride, kv_head);
  load_keys(chunk, 0);
  for (; first < seen.end; first += kStride) {
    const unsigned after_next = find_row(kv, seen, first + 2 * kStride, kv_head);
    for (int step = 0; step < Tile::kSteps; ++step) {
      SIMT_UNROLL
      for (int k = 0; k < Tile::kKeys; ++k) {
        values[k] = {};
        if (rows[k] != kNoRow) values[k] = Lanes::value(kv, rows[k], column);
      }
      float scores[Tile::kKeys][heads];
      score<Tile>(queries, rows, keys, scores);
      SIMT_SHOW("score", scores[0][0]);
      SIMT_PAUSE("scores");
      const bool is_last = step + 1 == Tile::kSteps;
      load_keys(is_last ? next_chunk : chunk, is_last ? 0 : step + 1);
      state.weigh(scores);
      SIMT_UNROLL
      for (int k = 0; k < Tile::kKeys; ++k) {
        float value[Tile::kNumbers];
        Lanes::unpack(values[k], value);
        state.add(scores[k], value);
      }
      SIMT_SHOW("m", state.m[0]);
      SIMT_SHOW("l", state.l[0]);
      SIMT_SHOW("acc", state.acc[0][0]);
      SIMT_PAUSE("values");
    }
    chunk = next_chunk;
    next_chunk = after_next;
  }
}

/// The query heads of one block: `count` from `first` on, counted through all new tokens.
struct DecodeHeads {
  std::size_t first;
  unsigned count;
};

/// The warps' states as one, written as the result or as a part of it.
template <typename Tile, typename Call, int heads>
__device__ __forceinline__ void write_heads(const Call& call, const DecodeParts& parts, const DecodeHeads& which,
                                            const DecodeState<heads, Tile::kNumbers>& state) {
  SIMT_SHARED(float[kDecodeWarps][heads][Tile::kDim], warp_acc);
  SIMT_SHARED(float[kDecodeWarps][heads], warp_m);
  SIMT_SHARED(float[kDecodeWarps][heads], warp_l);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  SIMT_UNROLL
  for (int h = 0; h < heads; ++h) {
    SIMT_UNROLL
    for (int i = 0; i < Tile::kNumbers; ++i) {
      if (lane < Tile::kLanes) warp_acc[warp][h][lane * Tile::kNumbers + static_cast<unsigned>(i)] = state.acc[h][i];
    }
    if (lane == 0) warp_m[warp][h] = state.m[h];
    if (lane == 0) warp_l[warp][h] = state.l[h];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < which.count * Tile::kDim; i += kDecodeWarps * 32) {
    const unsigned h = i / Tile::kDim, column = i % Tile::kDim;
    float m = kNothingSeen, l = 0, acc = 0;
    for (int w = 0; w < kDecodeWarps; ++w) m = fmaxf(m, warp_m[w][h]);
    for (int w = 0; w < kDecodeWarps; ++w) {
      const float weight = fast_exp2(warp_m[w][h] - m);
      l += weight * warp_l[w][h];
      acc += weight * warp_acc[w][h][column];
    }
    write_number(call, parts, which.first + h, column, Tile::kDim, l == 0.0F ? 0.0F : acc / l);
    if (column == 0) write_lse(call, parts, which.first + h, log_sum_exp(m / kLog2OfE, l));
  }
}

/// Grid: new tokens times tiles of `heads` query heads that share a KV head, those of a token one after another so that
/// neighbouring rows are read at the same time; splits. kDecodeWarps warps a block.
template <typename Call, int dim, int heads>
__global__ void __launch_bounds__(kDecodeWarps * 32, kDecodeBlocks<heads>)
    attention_decode_vectors(Call call, DecodeParts parts) {
  using Tile = DecodeTile<typename Call::Kv, dim, heads>;
  const unsigned kv_heads = call.kv.layout.kv_heads, group = call.query_heads / kv_heads;
  const unsigned tiles_a_group = (group + heads - 1) / heads, tiles = kv_heads * tiles_a_group;
  const unsigned row = blockIdx.x / tiles, tile = blockIdx.x % tiles, kv_head = tile / tiles_a_group;
  const unsigned in_group = tile % tiles_a_group * heads;
  const DecodeHeads which{std::size_t{row} * call.query_heads + kv_head * group + in_group,
                          min(group - in_group, unsigned{heads})};
  const unsigned column = threadIdx.x % Tile::kLanes * Tile::kNumbers;
  float queries[heads][Tile::kNumbers];
  load_queries<typename Call::Number>(call.queries + (which.first * dim + column), which.count, dim,
                                      call.scale * kLog2OfE, queries);
  DecodeState<heads, Tile::kNumbers> state;
  state.clear();
  attend<Tile>(call.kv, part_of(tokens_seen(call, row), parts.splits), kv_head, queries, state);
  state.template merge_groups<Tile::kLanes>();
  write_heads<Tile>(call, parts, which, state);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
