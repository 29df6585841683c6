#pragma once
// Attention of new tokens over the K and V of all earlier ones, read from a cache. With one query this is decoding.

#include <cstdint>
#include <span>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// The equation of attention_naive for the tokens at positions first_position + t; each reads the cached rows of
/// positions [0, first_position + t]. The rows of the new tokens themselves must be in the cache already.
/// Returns [tokens][query_heads * head_dim]. Counts the cached bytes that each query reads. MisuseError when shapes do
/// not fit or the runs end too early.
Matrix attention_cached(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                        std::uint32_t first_position,
                        std::span<const KvRun> runs,  // of positions [0, first_position + tokens)
                        const Heads& heads, Work& work);

}  // namespace kvarium::cpu
