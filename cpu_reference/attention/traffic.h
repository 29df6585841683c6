#pragma once
// Slow memory and fast memory. A GPU's matrices lie in its large memory (HBM); what is multiplied must be on the chip.
// Here both are ordinary memory, but whatever moves between the two goes through these functions, which count it.

#include <cstdint>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

struct Traffic {
  std::uint64_t read = 0;     ///< bytes, from slow memory
  std::uint64_t written = 0;  ///< bytes, to slow memory
  std::uint64_t total() const { return read + written; }
  bool operator==(const Traffic&) const = default;
};

/// A copy on the chip of rows [first, first + count).
inline Matrix load(const MatrixIn& from, Index first, Index count, Traffic& traffic) {
  Matrix tile = from.middleRows(first, count);
  traffic.read += bytes_of(tile);
  return tile;
}
inline Matrix load(const MatrixIn& from, Traffic& traffic) { return load(from, 0, from.rows(), traffic); }

/// The tile's rows become rows [first, first + tile.rows()).
inline void store(const Matrix& tile, MatrixInOut to, Index first, Traffic& traffic) {
  to.middleRows(first, tile.rows()) = tile;
  traffic.written += bytes_of(tile);
}

}  // namespace kvarium::cpu
