#pragma once
// Attention without a cache, straight from the equation. It stays as the oracle of every faster attention; its softmax
// is theirs, so the tests compare all of them with plain loops in double too.

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// For each token i and query head h, with g = h / (query_heads / kv_heads) and d = head_dim:
///   score[j]  = q[i][h] . k[j][g] / sqrt(d)      for j <= i: no token looks ahead
///   out[i][h] = sum_j softmax(score)[j] * v[j][g]   (Vaswani et al. 2017, equation 1)
/// With a window only for j in (i - window, i]: see attention_windowed().
/// Returns [tokens][query_heads * width of a value]. Counts one score product for each q.k. MisuseError when shapes do
/// not fit.
Matrix attention_naive(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                       const MatrixIn& keys,     // [tokens][kv_heads * head_dim]
                       const MatrixIn& values,   // [tokens][kv_heads * head_dim], or of another width a head
                       const Heads& heads, Work& work,
                       std::uint32_t window = 0);  // 0: no window

}  // namespace kvarium::cpu
