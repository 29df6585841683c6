#pragma once
// The attention that the transformer runs: one pass over the cached rows with the online softmax, wherever the rows
// lie. A contiguous cache is one run of rows, a paged cache (Kwon et al. 2023, section 4.1) one run a block.

#include <cstdint>
#include <span>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// The widest head that attention_paged() takes: its tiles lie on the stack.
inline constexpr std::uint32_t kMaxPagedHeadDim = 256;

/// The equation of attention_naive() for the tokens at positions first_position + t; each reads the cached rows of
/// positions [0, first_position + t], or with a window the last `window` of them (Mistral: Jiang et al. 2023, section
/// 2). The rows of the new tokens themselves must be in the cache already. Writes all of `out`.
/// The rows of a KV head are read once for all query heads of its group, in tiles; the products of many queries with a
/// tile are matrix products. Allocates nothing when one token is computed.
/// Neither the number of threads nor the cut into runs changes a bit of the result.
/// Counts the cached bytes that each query reads, as attention_cached() does. MisuseError, and nothing written, when
/// shapes do not fit, the runs end too early or a head is wider than kMaxPagedHeadDim.
void attention_paged(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                     std::uint32_t first_position,
                     std::span<const KvRun> runs,  // of positions [0, first_position + tokens)
                     const Heads& heads,
                     std::uint32_t window,  // 0: no window; else each token sees itself and window - 1 before it
                     MatrixInOut out,       // [tokens][query_heads * head_dim]
                     ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
