#pragma once
// The attention of new tokens over a cache of latent rows (multi-head latent attention, DeepSeek-V2, section 2.1), with
// the projections absorbed: all heads read the same row r_j = [c_j ; k^R_j], whole as their key and its first part as
// their value:
//   latents = sum_j p_j c_j with p = softmax_j(scale q . r_j), over the cached tokens j that the new token sees
//
//   rung         idea                          bytes moved a new token            what to learn
//   warp_a_head  as in attention_decode        H (n (w + v) s + 4 n + (w + v) s)  multi-query attention it is
//   rows         a warp's lanes share a row,   H/4 (n w s + 4 n) + H (w + v) s    what was a key stays in registers
//                for 4 heads                                                      as the value
//   split        the keys in p parts, merged   H/4 (n w s + 4 n) + H v s          few sequences fill a device
//                                              + p H (w s + 16 v + 4)
//
// H: heads, n: tokens seen, w: numbers of a row, v: those of its latent, s: bytes of a number. The four warps of a
// block read the same rows at about the same time: three of them find them in the first-level cache. To this come 4
// bytes a thread for the sequence's length. Sums are in float. With many heads the products take longer than the rows:
// a task for matrix instructions.

#include <string>

#include "core/error.h"
#include "cuda/kernels/attention_mla_rows.cuh"
#include "cuda/kernels/attention_mla_warp.cuh"
#include "cuda/simt/host.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

enum class AttentionMlaRung { warp_a_head, rows, split };

/// Whether rows of `width` numbers, the first latent_dim of them latent, can be taken.
constexpr bool fits_mla(unsigned latent_dim, unsigned width) {
  return latent_dim > 0 && latent_dim <= width && latent_dim <= kMostLatent && width <= kMostLatentRow &&
         latent_dim % 2 == 0 && width % 2 == 0;
}

/// MisuseError for rows that no rung takes, and for more heads than a grid can have blocks for.
template <typename T>
void expect_fits(const AttentionMla<T>& call) {
  const unsigned width = call.kv.layout.head_dim;
  if (call.kv.layout.kv_heads != 1 || !fits_mla(call.latent_dim, width)) {
    throw MisuseError("attention_mla: rows of " + std::to_string(width) + " numbers, " +
                      std::to_string(call.latent_dim) + " of them latent; it takes even numbers up to " +
                      std::to_string(kMostLatentRow) + " and " + std::to_string(kMostLatent));
  }
  constexpr unsigned long long kMostBlocks = 0x7FFFFFFF;
  const unsigned long long rows = 1ULL * call.sequences * call.new_tokens;
  if (call.heads == 0 || rows > kMostBlocks / call.heads) {
    throw MisuseError("attention_mla: " + std::to_string(rows) + " new tokens of " + std::to_string(call.heads) +
                      " heads; one launch takes 1 to " + std::to_string(kMostBlocks) + " heads");
  }
}

/// The kernel of rungs rows and split whose lanes hold rows of this width.
template <typename T>
auto mla_rows_kernel(unsigned width) {
  if (width <= 64) return attention_mla_rows<T, 1>;
  if (width <= 128) return attention_mla_rows<T, 2>;
  if (width <= 256) return attention_mla_rows<T, 4>;
  return attention_mla_rows<T, kMostLatentRow / 64>;
}

/// Blocks of rung rows.
template <typename T>
unsigned mla_blocks(const AttentionMla<T>& call) {
  constexpr unsigned kHeads = kMlaWarps * kMlaHeads;
  return call.rows() * ((call.heads + kHeads - 1) / kHeads);
}

/// How many splits fill the device; no sequence sees more than `longest` tokens. Errors as attention_mla().
template <typename T>
unsigned attention_mla_splits(const AttentionMla<T>& call, unsigned longest) {
  expect_fits(call);
  return decode_splits(mla_blocks(call), longest,
                       blocks_at_once(mla_rows_kernel<T>(call.kv.layout.head_dim), kMlaWarps * 32));
}

/// `parts` is for rung split, as for attention_decode(): of latent_dim numbers each. MisuseError when rows, heads or
/// splits are not as a rung needs them.
template <typename T>
void attention_mla(AttentionMlaRung rung, Stream& stream, const AttentionMla<T>& call, const DecodeParts& parts = {}) {
  expect_fits(call);
  if (call.rows() == 0) return;
  if (rung == AttentionMlaRung::warp_a_head) {
    launch(attention_mla_warp<T>, dim3(call.rows(), call.heads), 32, 0, stream, call);
    return;
  }
  const DecodeParts cut = rung == AttentionMlaRung::split ? parts : DecodeParts{};
  expect_splits(cut);
  launch(mla_rows_kernel<T>(call.kv.layout.head_dim), dim3(mla_blocks(call), cut.splits), kMlaWarps * 32, 0, stream,
         call, cut);
  if (cut.splits == 1) return;
  launch(merge_decode_parts<T>, call.rows() * call.heads, call.latent_dim, 0, stream, cut, call.out, call.lse);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
