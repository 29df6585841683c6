#pragma once
// Linear attention: without the exponential, the keys and values of all earlier tokens can be added up in one matrix of
// fixed size. There is no cache that grows; the price is that old tokens are mixed and none can be looked up exactly.

#include <cstdint>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// What one head knows of all tokens so far (Katharopoulos et al. 2020, equations 16 to 20), with
/// phi(x) = elu(x) + 1 = x + 1 above 0 and exp(x) below, number by number:
///   S_i = S_(i-1) + phi(k_i) v_i^T       z_i = z_(i-1) + phi(k_i)
///   out_i = phi(q_i)^T S_i / (phi(q_i) . z_i)
class LinearAttention {
 public:
  LinearAttention(Index head_dim, Index value_dim);

  /// The next token's output, [1][value_dim]. MisuseError when shapes do not fit.
  Matrix step(const MatrixIn& query,   // [1][head_dim]
              const MatrixIn& key,     // [1][head_dim]
              const MatrixIn& value);  // [1][value_dim]
  std::uint64_t bytes() const {
    return bytes_of(sum_) + bytes_of(normalizer_);
  }  ///< the same after any number of tokens

 private:
  Matrix sum_;         ///< S, [head_dim][value_dim]
  Matrix normalizer_;  ///< z, [1][head_dim]
};

/// The same for a whole text at once: out_i = sum_(j<=i) (phi(q_i) . phi(k_j)) v_j / sum_(j<=i) phi(q_i) . phi(k_j)
/// (equation 9). It computes N^2 products like softmax attention, but side by side: how such a model is trained.
/// Returns [tokens][value_dim]. MisuseError when shapes do not fit.
Matrix linear_attention_parallel(const MatrixIn& queries,  // [tokens][head_dim]
                                 const MatrixIn& keys,     // [tokens][head_dim]
                                 const MatrixIn& values);  // [tokens][value_dim]

}  // namespace kvarium::cpu
