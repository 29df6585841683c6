#pragma once
// out[i][h] = sum_j softmax_j(q[i][h] . k[j][g] / sqrt(d)) v[j][g]   (Vaswani et al. 2017, equation 1)
//
// for the new tokens of a batch of sequences, whose K and V are read from the paged cache, those of the new tokens as
// well: store_kv wrote them there before. New token i sees its past and the new tokens up to itself. A prompt, a chunk
// of one, what follows a cached prefix and a draft to be verified are all this.
//
//   rung   idea                                     K and V read, bytes    what to learn
//   naive  a warp a row: the maximum in one pass,   3 n d s a row          the equation; every row reads all of K
//          weights and their sum in a second                               and V by itself, and K twice
//   tiled  32 rows share tiles of 16 keys in        2 n d s for 32 rows    the online softmax: one pass is enough;
//          shared memory                                                   a tile is read once for a block's rows
//   mma    128 rows share tiles of 64 keys (32 of   2 n d s for 128 rows   fragments; a tile is copied while the
//          wide heads); products by tensor cores                           one before it is multiplied
//
// A row is one query head of one new token: the query heads of a KV head are rows of the same tile (grouped-query
// attention). n: keys that the row, or the last row of the tile, sees; d: head_dim; s: bytes of a number. Scores, sums
// and results are in float. A query that sees nothing gives zeros. A NaN in V of a token that a query does not see can
// reach it where weight 0 is multiplied with it, in the last two rungs and in trees; another sequence it never reaches.

#include <cmath>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "cuda/kernels/attention_prefill_mma.cuh"
#include "cuda/kernels/attention_prefill_naive.cuh"
#include "cuda/kernels/attention_prefill_tiled.cuh"
#include "cuda/simt/host.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

enum class PrefillRung { naive, tiled, mma };

/// Whether a rung can take heads of this width: naive 8, 16, 32, 64 and 128, the others all but 8. mma takes no float.
template <typename T>
constexpr bool fits_prefill(PrefillRung rung, unsigned head_dim) {
  if (rung == PrefillRung::mma && std::is_same_v<T, float>) return false;
  if (head_dim == 8) return rung == PrefillRung::naive;
  return head_dim == 16 || head_dim == 32 || head_dim == 64 || head_dim == 128;
}

/// The quickest rung that can take the heads.
template <typename T>
constexpr PrefillRung best_prefill(unsigned head_dim) {
  if (fits_prefill<T>(PrefillRung::mma, head_dim)) return PrefillRung::mma;
  return fits_prefill<T>(PrefillRung::tiled, head_dim) ? PrefillRung::tiled : PrefillRung::naive;
}

template <typename T, int head_dim>
void launch_attention_prefill(PrefillRung rung, Stream& stream, const AttentionPrefill<T>& batch) {
  constexpr float kLog2E = 1.44269504F;
  const float scale = 1 / std::sqrt(static_cast<float>(head_dim));
  const unsigned kv_heads = batch.cache.layout.kv_heads, rows = batch.most_new * (batch.query_heads / kv_heads);
  const auto grid = [&](unsigned tile) { return dim3((rows + tile - 1) / tile, kv_heads, batch.sequences); };
  if (rung == PrefillRung::naive) {
    launch(attention_prefill_naive<T, head_dim>, grid(1), kNaiveThreads, 0, stream, batch, scale);
  } else if (rung == PrefillRung::tiled) {
    if constexpr (fits_prefill<T>(PrefillRung::tiled, head_dim)) {
      launch(attention_prefill_tiled<T, head_dim>, grid(kTiledRows), kTiledThreads, 0, stream, batch, scale * kLog2E);
    }
  } else if constexpr (fits_prefill<T>(PrefillRung::mma, head_dim)) {
    launch(attention_prefill_mma<T, head_dim>, grid(kMmaRows), kMmaThreads, MmaShared<T, head_dim>::kBytes, stream,
           batch, scale * kLog2E);
  }
}

/// MisuseError, and nothing is launched, when the rung cannot take the heads or the type.
template <typename T>
void check_attention_prefill(PrefillRung rung, const AttentionPrefill<T>& batch) {
  const KvLayout& layout = batch.cache.layout;
  if (layout.kv_heads == 0 || layout.block_size == 0 || batch.query_heads % layout.kv_heads != 0) {
    throw MisuseError("attention_prefill: " + std::to_string(batch.query_heads) + " query heads cannot share " +
                      std::to_string(layout.kv_heads) + " KV heads in blocks of " + std::to_string(layout.block_size) +
                      " tokens");
  }
  if (rung == PrefillRung::mma && std::is_same_v<T, float>) {
    throw MisuseError("attention_prefill: rung mma multiplies 16-bit numbers, not float");
  }
  if (!fits_prefill<T>(rung, layout.head_dim)) {
    throw MisuseError("attention_prefill: heads are 16, 32, 64 or 128 numbers wide, for rung naive also 8, not " +
                      std::to_string(layout.head_dim));
  }
}

/// Writes `out` for every new token of the batch. MisuseError when the rung cannot take it.
template <typename T>
void attention_prefill(PrefillRung rung, Stream& stream, const AttentionPrefill<T>& batch) {
  check_attention_prefill(rung, batch);
  if (batch.sequences == 0 || batch.most_new == 0 || batch.query_heads == 0) return;
  switch (batch.cache.layout.head_dim) {
    case 8:
      return launch_attention_prefill<T, 8>(rung, stream, batch);
    case 16:
      return launch_attention_prefill<T, 16>(rung, stream, batch);
    case 32:
      return launch_attention_prefill<T, 32>(rung, stream, batch);
    case 64:
      return launch_attention_prefill<T, 64>(rung, stream, batch);
    default:
      return launch_attention_prefill<T, 128>(rung, stream, batch);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
