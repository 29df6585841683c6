#pragma once
// The attention of new tokens over a paged cache, one head of one token at a time (Kwon et al. 2023, section 4.3):
//   out = sum_j p_j v_j with p = softmax_j(scale q . k_j), over the cached tokens j that the new token sees
//
//   rung         idea                            bytes moved a new token               what to learn
//   warp_a_head  one warp a query head, one      H (2 n d s + 4 n + 2 d s)             the gather through the block
//                lane a key                                                            table; the online softmax; K and
//                                                                                      V come for every query head
//   vectors      d s / 16 lanes a key, whose     h t (2 n d s + 4 n) + H (2048 + d s)  the floor of the cache: each of
//                row serves 8 query heads                                              its bytes once; loads under way
//                                                                                      while others are used
//   split        the keys in p parts, merged     h t (2 n d s + 4 n) + H d s           few sequences fill a device
//                                                + p H (2048 + 16 d + 4)
//
// H, h: query and KV heads, n: tokens seen, d: head_dim, s: bytes of a number. t: 1 up to 8 query heads a KV head, 2 up
// to 16, ... 4 n: the block table, an entry a key. 2048: the query, 16 bytes in each of 128 threads; all but d s of
// them come from the first-level cache. To this come 4 bytes a thread for the sequence's length. Sums are in float.

#include <string>
#include <type_traits>

#include "core/error.h"
#include "cuda/kernels/attention_decode_vectors.cuh"
#include "cuda/kernels/attention_decode_warp.cuh"
#include "cuda/simt/host.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

enum class AttentionDecodeRung { warp_a_head, vectors, split };

/// MisuseError unless the query heads are a multiple of the KV heads, and a grid can have a block for each head of each
/// new token.
template <typename Call>
void expect_fits(const Call& call) {
  const unsigned kv_heads = call.kv.layout.kv_heads;
  if (kv_heads == 0 || call.query_heads == 0 || call.query_heads % kv_heads != 0) {
    throw MisuseError("attention_decode: " + std::to_string(call.query_heads) + " query heads cannot share " +
                      std::to_string(kv_heads) + " KV heads");
  }
  constexpr unsigned long long kMostBlocks = 0x7FFFFFFF;
  const unsigned long long rows = 1ULL * call.sequences * call.new_tokens;
  if (rows > kMostBlocks / call.query_heads) {
    throw MisuseError("attention_decode: " + std::to_string(rows) + " new tokens of " +
                      std::to_string(call.query_heads) + " query heads, one launch takes up to " +
                      std::to_string(kMostBlocks) + " heads");
  }
}

/// The grid of rung warp_a_head: a block of 32 threads (or of as many as its template says) for each.
template <typename T>
dim3 attention_decode_warp_grid(const AttentionDecode<T>& call) {
  return {call.rows(), call.query_heads};
}

template <typename T>
void attention_decode_warp_a_head(Stream& stream, const AttentionDecode<T>& call) {
  if (call.kv.layout.head_dim == 0 || call.kv.layout.head_dim > kMostHeadDim) {
    throw MisuseError("attention_decode: one warp a head takes heads of 1 to " + std::to_string(kMostHeadDim) +
                      " numbers, not of " + std::to_string(call.kv.layout.head_dim));
  }
  launch(attention_decode_warp<T, 32>, attention_decode_warp_grid(call), 32, 0, stream, call);
}

template <int number>
using Constant = std::integral_constant<int, number>;

/// Calls use(kernel, heads) with the kernel of rungs vectors and split for these heads and the query heads that one of
/// its blocks takes.
template <typename Call, int dim, typename Use>
void with_heads_of(const Call& call, const Use& use) {
  const unsigned group = call.query_heads / call.kv.layout.kv_heads;
  const auto with = [&](auto heads) { use(attention_decode_vectors<Call, dim, decltype(heads)::value>, heads.value); };
  if (group == 1) return with(Constant<1>());
  if (group == 2) return with(Constant<2>());
  if (group <= 4) return with(Constant<4>());
  with(Constant<8>());
}

/// MisuseError when there is no kernel for this width of a head.
template <typename Call, typename Use>
void with_vectors_kernel(const Call& call, const Use& use) {
  switch (call.kv.layout.head_dim) {
    case 16:
      return with_heads_of<Call, 16>(call, use);
    case 32:
      return with_heads_of<Call, 32>(call, use);
    case 64:
      return with_heads_of<Call, 64>(call, use);
    case 128:
      return with_heads_of<Call, 128>(call, use);
    default:
      throw MisuseError("attention_decode: vectors take heads of 16, 32, 64 or 128 numbers, not of " +
                        std::to_string(call.kv.layout.head_dim));
  }
}

/// Blocks of rung vectors when each takes `heads` query heads.
template <typename Call>
unsigned decode_blocks(const Call& call, int heads) {
  const unsigned kv_heads = call.kv.layout.kv_heads, at_once = static_cast<unsigned>(heads);
  return call.rows() * kv_heads * ((call.query_heads / kv_heads + at_once - 1) / at_once);
}

/// How many splits fill the device; no sequence sees more than `longest` tokens. Errors as attention_decode().
template <typename Call>
unsigned attention_decode_splits(const Call& call, unsigned longest) {
  expect_fits(call);
  unsigned splits = 1;
  with_vectors_kernel(call, [&](auto kernel, int heads) {
    splits = decode_splits(decode_blocks(call, heads), longest, blocks_at_once(kernel, kDecodeWarps * 32));
  });
  return splits;
}

/// Rungs vectors (parts.splits is 1) and split, over any kind of cache. MisuseError for a width of a head or a number
/// of splits that they do not take, and for a cache of more rows (of one head of one token) than can be counted in 32
/// bits.
template <typename Call>
void attention_decode_vectors_or_split(Stream& stream, const Call& call, const DecodeParts& parts) {
  expect_splits(parts);
  const unsigned long long rows =
      1ULL * call.kv.tables.num_blocks * call.kv.layout.block_size * call.kv.layout.kv_heads;
  if (rows >= kNoRow) {
    throw MisuseError("attention_decode: a cache of " + std::to_string(rows) + " rows; vectors count up to " +
                      std::to_string(kNoRow - 1));
  }
  with_vectors_kernel(call, [&](auto kernel, int heads) {
    launch(kernel, dim3(decode_blocks(call, heads), parts.splits), kDecodeWarps * 32, 0, stream, call, parts);
  });
  if (parts.splits == 1) return;
  launch(merge_decode_parts<typename Call::Number>, call.rows() * call.query_heads, call.kv.layout.head_dim, 0, stream,
         parts, call.out, call.lse);
}

/// `parts` is for rung split: as many as attention_decode_splits() says, and room for them; any number gives the same
/// within rounding. MisuseError when the heads do not fit together, or the rung cannot take the width of a head.
template <typename T>
void attention_decode(AttentionDecodeRung rung, Stream& stream, const AttentionDecode<T>& call,
                      const DecodeParts& parts = {}) {
  expect_fits(call);
  if (call.rows() == 0) return;
  if (rung == AttentionDecodeRung::warp_a_head) return attention_decode_warp_a_head(stream, call);
  attention_decode_vectors_or_split(stream, call, rung == AttentionDecodeRung::split ? parts : DecodeParts{});
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
