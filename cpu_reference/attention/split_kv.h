#pragma once
// Attention with the cached tokens cut into parts that are computed apart and merged (Flash-Decoding: Dao, Haziza,
// Massa, Sizov 2023). When one new token looks at a long text there are few heads and many keys: without the cut most
// of a wide processor would have nothing to do.

#include <cstdint>
#include <span>
#include <vector>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// What queries found in some of the tokens: finished rows and their log-sum-exp, enough to merge with other parts.
struct AttentionPart {
  Matrix out;  ///< [tokens][query_heads * head_dim]; zeros where a query sees nothing of the part
  Matrix lse;  ///< [tokens][query_heads], natural logarithm; -infinity where it sees nothing
};

/// The equation of attention_naive() over the cached positions [begin, end) alone, for the tokens at positions
/// first_position + t. MisuseError when shapes do not fit or the runs end too early.
AttentionPart attention_part(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                             std::uint32_t first_position,
                             std::span<const KvRun> runs,  // of positions [0, first_position + tokens)
                             std::uint32_t begin, std::uint32_t end, const Heads& heads, ThreadPool& threads,
                             Work& work);

/// The parts as one: out = sum_p exp(lse_p - lse) out_p with lse = log sum_p exp(lse_p), for each query and head, in
/// the order of the parts. MisuseError when there are none or their shapes differ.
AttentionPart merge(std::span<const AttentionPart> parts, const Heads& heads);

/// Positions [0, first_position + tokens) cut into `splits` nearly equal parts, computed and merged. Any number of
/// splits gives the same result within rounding. Errors as attention_part(), and for 0 splits.
AttentionPart attention_split_kv(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                                 std::uint32_t splits, const Heads& heads, ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
