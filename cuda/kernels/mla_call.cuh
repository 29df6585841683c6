#pragma once
// What all rungs of attention_mla are given.

#include "cuda/kernels/block_table.cuh"
#include "cuda/kernels/decode_call.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The largest row and latent, as DeepSeek-V2 and V3 have them.
inline constexpr int kMostLatentRow = 576, kMostLatent = 512;

/// The latent rows of one layer, and where each sequence's are.
template <typename T>
struct LatentKv {
  gptr<const T> rows;  ///< [block][slot][latent_dim + rotary_dim]
  KvLayout layout;     ///< kv_heads 1, head_dim = latent_dim + rotary_dim
  BlockTables tables;
};

/// As AttentionDecode: the newest tokens of every sequence, whose own rows are in the cache already.
template <typename T>
struct AttentionMla {
  using Number = T;
  static constexpr unsigned window = 0;  // NOLINT(readability-identifier-naming): as in AttentionDecode

  gptr<const T> queries;  ///< [sequence][new token][head][latent_dim + rotary_dim], absorbed: [W^UK_h^T q ; q^R]
  LatentKv<T> kv;
  gptr<const unsigned> lengths;  ///< [sequence] cached tokens, the new ones included; 0: see TokensSeen
  gptr<T> out;                   ///< [sequence][new token][head][latent_dim]
  gptr<float> lse = nullptr;     ///< [sequence][new token][head] log sum_j exp(score_j); null: not wanted
  unsigned sequences = 0;
  unsigned new_tokens = 1;
  unsigned heads = 0;
  unsigned latent_dim = 0;
  float scale = 1;  ///< of q . r, above 0: 1 / sqrt(head_dim + rotary_dim), of the heads before they were absorbed

  __host__ __device__ unsigned rows() const { return sequences * new_tokens; }
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
