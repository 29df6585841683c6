#pragma once
// Attention with a sliding window, straight from the equation: the oracle of the window in attention_paged().

#include <cstdint>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// The equation of attention_naive(), but token i sees only j with i - window < j <= i: itself and the window - 1
/// tokens before it (Beltagy et al. 2020, section 3.1; Mistral, Jiang et al. 2023, section 2). What lies before is
/// reached only through the layers: information moves on by window - 1 tokens a layer. Returns [tokens][query_heads *
/// head_dim]. Counts one score product for each q.k. MisuseError when shapes do not fit or the window is 0.
Matrix attention_windowed(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                          const MatrixIn& keys,     // [tokens][kv_heads * head_dim]
                          const MatrixIn& values,   // [tokens][kv_heads * head_dim]
                          const Heads& heads, std::uint32_t window, Work& work);

}  // namespace kvarium::cpu
