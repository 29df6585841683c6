#pragma once
// Attention as three steps, each of which reads its matrices from slow memory and writes its result there. That is how
// a library of matrix operations computes it, and what FlashAttention is compared with.

#include "cpu_reference/attention/traffic.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

struct CountedAttention {
  Matrix out;       ///< [queries][head_dim]
  Matrix lse;       ///< [queries][1], natural logarithm; -infinity for a query that sees nothing
  Traffic traffic;  ///< bytes
};

/// S = Q K^T / sqrt(d), P = softmax(S), O = P V (Dao et al. 2022, algorithm 0), one head. With `causal` query i sees
/// keys [0, i + keys - queries]: the last query sees all keys. MisuseError when shapes do not fit.
CountedAttention standard_attention(const MatrixIn& queries,  // [queries][head_dim]
                                    const MatrixIn& keys,     // [keys][head_dim]
                                    const MatrixIn& values,   // [keys][head_dim]
                                    bool causal);

/// MisuseError, starting with `where`, unless the shapes fit each other.
void expect_one_head(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values, const char* where);
/// Q K^T / sqrt(d) for some rows of Q and K on the chip; -infinity where query first_query + i must not see key
/// first_key + j, which is when j lies behind i + shift.
Matrix masked_scores(const Matrix& queries, const Matrix& keys, Index first_query, Index first_key, bool causal,
                     Index shift);

}  // namespace kvarium::cpu
