#pragma once
// What the rungs of attention_prefill share: the batch, its rows of queries and what each of them sees.

#include "cuda/kernels/block_table.cuh"
#include "cuda/kernels/most_tree_tokens.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Sequences, each with some tokens in the cache and some new ones behind them, whose K and V are in the cache as well.
template <typename T>
struct AttentionPrefill {
  gptr<const T> queries;        ///< [new tokens][query_heads][head_dim], one sequence after another
  gptr<T> out;                  ///< the same
  PagedKv<T> cache;             ///< of past and new tokens
  gptr<const unsigned> starts;  ///< [sequences + 1] where each one's new tokens begin; at the end their number
  gptr<const unsigned> past;    ///< [sequences] tokens before the new ones
  unsigned sequences = 0;
  unsigned most_new = 0;     ///< the largest number of new tokens of a sequence
  unsigned query_heads = 0;  ///< a multiple of the KV heads
  /// Null: new token i sees the past and the new tokens up to itself. Otherwise [new tokens]: it sees the past and
  /// those new tokens j of its sequence whose bit j is set, as a tree of drafts wants it (Miao et al. 2024,
  /// section 4.2). A sequence of more than kMostTreeTokens new tokens is no tree: its bits are not looked at.
  gptr<const unsigned long long> ancestors = nullptr;
};

/// The queries of one sequence and KV head. The query heads that share a KV head lie side by side and read it together:
/// row r is head r % group of new token r / group.
struct PrefillRows {
  unsigned sequence, kv_head;
  unsigned group;  ///< query heads a KV head
  unsigned start;  ///< the first new token in the batch
  unsigned past;
  unsigned count;

  /// The row, or the last one where there is no such row.
  __device__ __forceinline__ unsigned or_last(unsigned row) const { return row < count ? row : count - 1; }
};

template <typename T>
__device__ __forceinline__ PrefillRows prefill_rows(const AttentionPrefill<T>& batch, unsigned sequence,
                                                    unsigned kv_head) {
  const unsigned group = batch.query_heads / batch.cache.layout.kv_heads;
  const unsigned start = batch.starts[sequence];
  return {sequence, kv_head, group, start, batch.past[sequence], (batch.starts[sequence + 1] - start) * group};
}

/// Where a row begins in `queries` and in `out`.
template <typename T>
__device__ __forceinline__ std::size_t query_offset(const AttentionPrefill<T>& batch, const PrefillRows& rows,
                                                    unsigned row) {
  const std::size_t token = rows.start + row / rows.group;
  const std::size_t head = rows.kv_head * rows.group + row % rows.group;
  return (token * batch.query_heads + head) * batch.cache.layout.head_dim;
}

template <typename T>
__device__ __forceinline__ bool is_tree(const AttentionPrefill<T>& batch, const PrefillRows& rows) {
  return batch.ancestors != nullptr && rows.count / rows.group <= kMostTreeTokens;
}

/// What one query sees.
struct Visible {
  unsigned all;                  ///< every key before this one
  unsigned past, end;            ///< where the new tokens of its sequence begin and end
  unsigned long long ancestors;  ///< bit j: the key past + j as well

  __device__ __forceinline__ bool sees(unsigned key) const {
    return key < all || (ancestors != 0 && key < end && (ancestors >> (key - past) & 1U) != 0);
  }
};

template <typename T>
__device__ __forceinline__ Visible visible(const AttentionPrefill<T>& batch, const PrefillRows& rows, unsigned row) {
  const unsigned token = row / rows.group, end = rows.past + rows.count / rows.group;
  if (!is_tree(batch, rows)) return {rows.past + token + 1, rows.past, end, 0};
  return {rows.past, rows.past, end, batch.ancestors[rows.start + token]};
}

/// Behind the last key that any of the rows up to `last_row` sees.
template <typename T>
__device__ __forceinline__ unsigned keys_end(const AttentionPrefill<T>& batch, const PrefillRows& rows,
                                             unsigned last_row) {
  return rows.past + (is_tree(batch, rows) ? rows.count / rows.group : last_row / rows.group + 1);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
