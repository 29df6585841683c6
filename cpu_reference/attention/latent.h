#pragma once
// Multi-head latent attention (MLA: DeepSeek-V2, section 2.1): the cache keeps one narrow row a token from which the
// keys and values of all heads can be computed again, and one rotated key that all heads share.

#include <cstdint>

#include "core/work.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

struct LatentShape {
  Index hidden = 0;
  Index heads = 0;
  Index head_dim = 0;    ///< d_h: of a query and a key without position
  Index rotary_dim = 0;  ///< d_h^R: of the part that carries the position, beside it
  Index value_dim = 0;   ///< of a value; d_h in the paper
  Index latent_dim = 0;  ///< d_c: of what is kept
};

/// The low-rank queries of section 2.1.2 change nothing that is cached; here W^Q is one matrix.
struct LatentWeights {
  Matrix query;       ///< [heads * (head_dim + rotary_dim)][hidden]: W^UQ W^DQ and W^QR W^DQ, head by head
  Matrix down;        ///< [latent_dim][hidden]: W^DKV
  Matrix rotary_key;  ///< [rotary_dim][hidden]: W^KR
  Matrix up_key;      ///< [heads * head_dim][latent_dim]: W^UK
  Matrix up_value;    ///< [heads * value_dim][latent_dim]: W^UV
};

/// MisuseError unless the weights have the shapes above and rotary_dim is even.
void expect_valid(const LatentShape& shape, const LatentWeights& weights);

/// One layer of one sequence: c = W^DKV h and k^R = RoPE(W^KR h) for each token (equations 9 and 15).
class LatentCache {
 public:
  LatentCache(const LatentShape& shape, float rope_theta, RopePairs pairs);

  std::uint32_t length() const { return static_cast<std::uint32_t>(rows_.rows()); }  ///< tokens
  /// [length][latent_dim + rotary_dim]: all that is kept.
  const Matrix& rows() const { return rows_; }
  std::uint64_t bytes() const { return bytes_of(rows_); }
  float rope_theta() const { return rope_theta_; }
  RopePairs pairs() const { return pairs_; }

  /// The next tokens. MisuseError when shapes do not fit.
  void append(const MatrixIn& hidden,  // [tokens][hidden]
              const LatentWeights& weights, Work& work);

 private:
  LatentShape shape_;
  float rope_theta_;
  RopePairs pairs_;
  Matrix rows_;
};

/// Attention of the last `hidden.rows()` tokens of the cache, as the equations stand (10 to 19): keys and values of all
/// cached tokens are computed from their rows first,
///   k[j][h] = [W^UK_h c_j ; k^R_j]     v[j][h] = W^UV_h c_j
///   out[i][h] = sum_j softmax_j(q[i][h] . k[j][h] / sqrt(head_dim + rotary_dim)) v[j][h]
/// Returns [tokens][heads * value_dim]. Counts the cached bytes that each query reads. MisuseError when shapes do not
/// fit.
Matrix attention_latent(const MatrixIn& hidden,  // [tokens][hidden]
                        const LatentCache& cache, const LatentShape& shape, const LatentWeights& weights, Work& work);

/// The same result without a single key or value: q . W^UK_h c = (W^UK_h^T q) . c, so the query is brought to the width
/// of the latent, and the weighted sum of latents through W^UV_h at the end (section 2.1.2, "absorbed"). Every head
/// then reads the same cached row, as in multi-query attention.
Matrix attention_latent_absorbed(const MatrixIn& hidden, const LatentCache& cache, const LatentShape& shape,
                                 const LatentWeights& weights, Work& work);

}  // namespace kvarium::cpu
