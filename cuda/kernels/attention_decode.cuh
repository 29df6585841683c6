#pragma once
// The attention of new tokens over a paged cache, one head of one token at a time (Kwon et al. 2023, section 4.3):
//   out = sum_j p_j v_j with p = softmax_j(scale q . k_j), over the cached tokens j that the new token sees
//
//   rung         idea                                  bytes moved a new token      what to learn
//   warp_a_head  one warp a query head, a key a lane   H (2 n d s + 4 n + 2 d s)    the gather through the block table;
//                                                                                   the online softmax; K and V come
//                                                                                   once for every query head
//
// H: query heads, n: tokens seen, d: head_dim, s: bytes of a number. 4 n: the block table, an entry a key. To this come
// 4 bytes a thread for the sequence's length. Sums are in float.

#include <string>

#include "core/error.h"
#include "cuda/kernels/attention_decode_warp.cuh"
#include "cuda/simt/host.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

enum class AttentionDecodeRung { warp_a_head };

/// MisuseError unless the query heads are a multiple of the KV heads, and a grid can have a block for each new token.
template <typename T>
void expect_fits(const AttentionDecode<T>& call) {
  const unsigned kv_heads = call.kv.layout.kv_heads;
  if (kv_heads == 0 || call.query_heads == 0 || call.query_heads % kv_heads != 0) {
    throw MisuseError("attention_decode: " + std::to_string(call.query_heads) + " query heads cannot share " +
                      std::to_string(kv_heads) + " KV heads");
  }
  constexpr unsigned long long kMostRows = 0x7FFFFFFF;
  const unsigned long long rows = 1ULL * call.sequences * call.new_tokens;
  if (rows > kMostRows) {
    throw MisuseError("attention_decode: " + std::to_string(rows) + " new tokens, one launch takes up to " +
                      std::to_string(kMostRows));
  }
}

/// The grid of rung warp_a_head: a block of 32 threads (or of as many as its template says) for each.
template <typename T>
dim3 attention_decode_warp_grid(const AttentionDecode<T>& call) {
  return {call.rows(), call.query_heads};
}

/// MisuseError when the heads do not fit together, or the rung cannot take the width of a head.
template <typename T>
void attention_decode(AttentionDecodeRung, Stream& stream, const AttentionDecode<T>& call) {
  expect_fits(call);
  if (call.rows() == 0) return;
  if (call.kv.layout.head_dim == 0 || call.kv.layout.head_dim > kMostHeadDim) {
    throw MisuseError("attention_decode: one warp a head takes heads of 1 to " + std::to_string(kMostHeadDim) +
                      " numbers, not of " + std::to_string(call.kv.layout.head_dim));
  }
  launch(attention_decode_warp<T, 32>, attention_decode_warp_grid(call), 32, 0, stream, call);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
