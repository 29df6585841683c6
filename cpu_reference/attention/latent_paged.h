#pragma once
// Attention over cached latent rows, as the transformer runs it: multi-query attention in which all heads read the same
// row, once as their key and, its first part, as their value (DeepSeek-V2, section 2.1, "absorbed").

#include <cstdint>
#include <span>

#include "core/work.h"
#include "cpu_reference/attention/latent.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

/// For the tokens at positions first_position + t, over the cached rows r_j = [c_j ; k^R_j] of positions j up to their
/// own, the new tokens' rows being there already:
///   latents[t][h] = sum_j softmax_j(absorbed[t][h] . r_j / sqrt(head_dim + rotary_dim)) c_j
/// One pass with the online softmax, in tiles; allocates nothing. Neither the number of threads nor the cut into runs
/// changes a bit of the result. Counts the cached bytes that each query reads. MisuseError, and nothing written, when
/// shapes do not fit or the runs end too early.
void attention_latent_paged(const MatrixIn& absorbed,  // [tokens][heads * (latent_dim + rotary_dim)]: absorb_queries()
                            std::uint32_t first_position,
                            std::span<const KvRun> runs,  // of positions [0, first_position + tokens)
                            const LatentShape& shape,
                            MatrixInOut latents,  // [tokens][heads * latent_dim]
                            ThreadPool& threads, Work& work);

}  // namespace kvarium::cpu
