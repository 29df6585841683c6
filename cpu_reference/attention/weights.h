#pragma once
// The weights of attention themselves, which the fast versions never write down: for pictures and lessons.

#include <cstdint>
#include <span>
#include <vector>

#include "cpu_reference/attention/heads.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// softmax(q . k / sqrt(score_dim)) of the tokens at positions first_position + t over the cached rows; what a token
/// cannot see, because it comes later or lies outside the window (0: there is none), is 0.
/// Returns [query_heads][tokens][positions], row-major, positions = first_position + tokens. MisuseError when shapes do
/// not fit or the runs end too early.
std::vector<float> attention_weights(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                                     std::uint32_t first_position,
                                     std::span<const KvRun> runs,  // of positions [0, first_position + tokens)
                                     const Heads& heads, std::uint32_t window,
                                     std::uint32_t score_dim = 0);  // 0: head_dim

}  // namespace kvarium::cpu
