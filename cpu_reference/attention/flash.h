#pragma once
// FlashAttention: exact attention of one head that never writes the scores to slow memory. Tiles of Q, K and V come to
// the chip, and the online softmax makes the parts fit together.

#include "cpu_reference/attention/standard.h"

namespace kvarium::cpu {

/// Rows that are on the chip at a time.
struct TileRows {
  Index queries = 0;  ///< B_r
  Index keys = 0;     ///< B_c
};

/// With `causal`, query i sees keys [0, i + keys - queries], so a tile of keys that starts where the last query of a
/// tile stops seeing is skipped. `tiles`: how many pairs of tiles were multiplied.
struct FlashResult : CountedAttention {
  std::uint64_t tiles = 0;
};

/// Dao et al. 2022, algorithm 1. The outer loop goes over tiles of K and V; for each of them every tile of Q comes back
/// with its finished part of O and its maximum and sum, is scaled to the new maximum and divided again:
///   O <- (sum O exp(max - max') + sum_j exp(s[j] - max') v[j]) / sum'
/// MisuseError when shapes do not fit or a tile has no rows.
FlashResult flash_attention_1(const MatrixIn& queries,  // [queries][head_dim]
                              const MatrixIn& keys,     // [keys][head_dim]
                              const MatrixIn& values,   // [keys][head_dim]
                              const TileRows& tile, bool causal);

/// Dao 2023, algorithm 1. The outer loop goes over tiles of Q, whose state stays on the chip until all of K and V has
/// passed: one division and one write a row, at the end. The tiles of Q do not need each other, so each can have its
/// own part of the chip. Arguments and errors as flash_attention_1().
FlashResult flash_attention_2(const MatrixIn& queries, const MatrixIn& keys, const MatrixIn& values,
                              const TileRows& tile, bool causal);

}  // namespace kvarium::cpu
