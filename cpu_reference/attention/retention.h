#pragma once
// Retention (RetNet: Sun et al. 2023): linear attention that forgets. Each step multiplies what it knows by gamma < 1,
// so a token's share fades with its distance, and no sum of weights is needed.

#include <cstdint>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// What one head knows of all tokens so far (equation 6):
///   S_n = gamma S_(n-1) + k_n^T v_n       out_n = q_n S_n
/// Queries and keys come with their positions already in them (the paper turns them as RoPE does) and scaled.
class Retention {
 public:
  /// MisuseError unless 0 < gamma <= 1.
  Retention(Index head_dim, Index value_dim, float gamma);

  /// The next token's output, [1][value_dim]. MisuseError when shapes do not fit.
  Matrix step(const MatrixIn& query,   // [1][head_dim]
              const MatrixIn& key,     // [1][head_dim]
              const MatrixIn& value);  // [1][value_dim]
  /// The next tokens at once, each pair inside the chunk by its products and everything before it through the state
  /// (equation 7): prefill without a step a token. Returns [tokens][value_dim].
  Matrix chunk(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values);
  std::uint64_t bytes() const { return bytes_of(state_); }  ///< the same after any number of tokens

 private:
  Matrix state_;  ///< S, [head_dim][value_dim]
  float gamma_;
};

/// The same for a whole text at once (equation 5): out = (Q K^T * D) V, number by number, D[n][m] = gamma^(n - m) for
/// m <= n and 0 behind it. Returns [tokens][value_dim]. MisuseError when shapes do not fit.
Matrix retention_parallel(const MatrixIn& queries,  // [tokens][head_dim]
                          const MatrixIn& keys,     // [tokens][head_dim]
                          const MatrixIn& values,   // [tokens][value_dim]
                          float gamma);

}  // namespace kvarium::cpu
