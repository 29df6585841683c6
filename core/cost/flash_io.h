#pragma once
// What attention of one head moves between the memory of a GPU (HBM) and the chip, for N tokens and heads of d, in
// elements. The code that really moves the numbers is cpu_reference/attention/standard.h and flash.h; a test compares
// its counts with these.

#include <cstdint>

namespace kvarium {

struct AttentionIo {
  std::uint64_t read = 0;     ///< elements
  std::uint64_t written = 0;  ///< elements
  std::uint64_t total() const { return read + written; }
  bool operator==(const AttentionIo&) const = default;
};

/// Scores and weights written out and read back (Dao et al. 2022, algorithm 0): reads Q, K, S, P, V, writes S, P, O.
/// All functions here: InputError when the result does not fit 64 bits, or when a size is 0.
AttentionIo standard_attention_io(std::uint64_t tokens, std::uint64_t head_dim);

/// Rows that are on the chip at a time.
struct FlashTiles {
  std::uint64_t query_rows = 0;  ///< B_r
  std::uint64_t key_rows = 0;    ///< B_c
};
/// Tiles for a chip that holds `on_chip` elements (M): B_c = ceil(M / 4d), B_r = min(B_c, d) (Dao et al. 2022,
/// algorithm 1, line 1).
FlashTiles flash_tiles(std::uint64_t on_chip, std::uint64_t head_dim);

/// FlashAttention 1, no mask: K and V once; Q, O and the two numbers of each row again for each tile of K and V. With
/// flash_tiles() that is Theta(N^2 d^2 / M) (Dao et al. 2022, theorem 2).
AttentionIo flash1_io(std::uint64_t tokens, std::uint64_t head_dim, const FlashTiles& tiles);
/// FlashAttention 2, no mask: Q once, O and one number of each row written once; K and V again for each tile of Q (Dao
/// 2023, algorithm 1).
AttentionIo flash2_io(std::uint64_t tokens, std::uint64_t head_dim, const FlashTiles& tiles);

}  // namespace kvarium
