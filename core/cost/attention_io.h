#pragma once
// What attention over a whole prompt computes and moves when its scores are written to memory and read back, as in
// "standard attention" (Dao et al. 2022, algorithm 0): per head, N tokens of d numbers.
//   S = Q K^T is written, read for P = softmax(S), which is written and read for O = P V: 4 N^2 numbers
//   Q, K and V are read and O is written: 4 N d numbers
//   2 FLOP a number in each of the two products: 4 N^2 d
// A causal mask changes neither: the matrices are made whole.

#include <cstdint>

#include "core/cost/element_type.h"
#include "core/cost/roofline.h"

namespace kvarium {

/// One head. `with_inputs`: Q, K, V and O too, else the scores alone, which are nearly all when N is far above d.
Part standard_attention(std::uint64_t tokens, std::uint32_t head_dim, ElementType type, bool with_inputs);

/// Bytes of one head's scores. InputError when they do not fit 64 bits.
std::uint64_t score_matrix_bytes(std::uint64_t tokens, ElementType type);

}  // namespace kvarium
