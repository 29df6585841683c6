#pragma once
// Between the heads and the one cached row of latent attention (DeepSeek-V2, section 2.1): either the rows are unpacked
// into keys and values, or the queries are brought to the width of a row and the result back.

#include <span>

#include "core/work.h"
#include "cpu_reference/attention/latent.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/weight_matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// The shape of a model's layers.
LatentShape latent_shape(const ModelConfig& config);

/// In all functions `up` is [heads * (head_dim + value_dim)][latent_dim]: for each head W^UK_h and below it W^UV_h. A
/// row is [latent_dim of c][rotary_dim of the rotated key k^R]. All throw MisuseError when shapes do not fit.

/// keys[j][h] = [W^UK_h c_j ; k^R_j], values[j][h] = W^UV_h c_j.
void unpack_latent(const MatrixIn& rows,  // [tokens][latent_dim + rotary_dim]
                   const LatentShape& shape, const WeightMatrix& up,
                   Matrix& keys,    // becomes [tokens][heads * (head_dim + rotary_dim)]
                   Matrix& values,  // becomes [tokens][heads * value_dim]
                   ThreadPool& threads, Work& work);

/// absorbed[t][h] = [W^UK_h^T q ; q^R], whose product with a row is that of the query with the unpacked key. Allocates
/// nothing.
void absorb_queries(const MatrixIn& queries,  // [tokens][heads * (head_dim + rotary_dim)], rotated
                    const LatentShape& shape, const WeightMatrix& up,
                    MatrixInOut absorbed,  // [tokens][heads * (latent_dim + rotary_dim)]
                    ThreadPool& threads, Work& work);

/// out[t][h] = W^UV_h latents[t][h]: the weighted sum of latents becomes that of values. Allocates nothing for few
/// tokens, as linear().
void unpack_sums(const MatrixIn& latents,  // [tokens][heads * latent_dim]
                 const LatentShape& shape, const WeightMatrix& up,
                 MatrixInOut out,  // [tokens][heads * value_dim]
                 ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
