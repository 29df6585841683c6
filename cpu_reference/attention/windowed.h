#pragma once
// Sliding-window attention without a cache, straight from the equation: the oracle of every windowed attention.

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// attention_naive() in which token i sees itself and the window - 1 tokens before it: j in (i - window, i] (Beltagy et
/// al. 2020, section 3.1; Mistral 7B: Jiang et al. 2023, section 2). A cache need keep no more than `window` tokens of
/// a layer; through L layers a token still hears of (window - 1) * L tokens before it. Returns [tokens][query_heads *
/// head_dim]. MisuseError when shapes do not fit or the window is 0.
Matrix attention_windowed(const MatrixIn& queries,  // [tokens][query_heads * head_dim]
                          const MatrixIn& keys,     // [tokens][kv_heads * head_dim]
                          const MatrixIn& values,   // [tokens][kv_heads * head_dim]
                          const Heads& heads, std::uint32_t window, Work& work);

}  // namespace kvarium::cpu
