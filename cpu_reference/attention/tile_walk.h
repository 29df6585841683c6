#pragma once
// Cached rows tile by tile, wherever they lie: what every attention over few queries walks through.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// Positions of a tile. K and V of head_dim 64 stay in a 48 KiB first-level cache.
inline constexpr Index kKeyTile = 64;

struct Range {
  Index begin = 0, end = 0;
};
/// The part of `range` that lies in `other`; empty, and still inside `range`, when there is none.
inline Range common(Range range, Range other) {
  const Index begin = std::clamp(other.begin, range.begin, range.end);
  return {begin, std::clamp(other.end, begin, range.end)};
}

/// Where K and V of consecutive positions lie, of one KV head.
struct KeyTile {
  Index first = 0;                            ///< position
  Index count = 0;                            ///< 0: no position is left
  std::array<const float*, kKeyTile> keys;    ///< [count], each a row of one head
  std::array<const float*, kKeyTile> values;  ///< [count], each a row of one head

  /// The part of [0, count) that lies in a range of positions.
  Range part(Range positions) const { return common({0, count}, {positions.begin - first, positions.end - first}); }
};

/// Walks through the runs tile by tile. Tiles start at multiples of kKeyTile, wherever a run starts, so that the cut
/// into runs does not change the order of the sums.
class TileWalk {
 public:
  /// Of the numbers from `column` on in rows that are `width` wide.
  TileWalk(std::span<const KvRun> runs, Index width, Index column, Range positions)
      : runs_(runs),
        column_(column),
        width_(width),
        next_(positions.begin / kKeyTile * kKeyTile),
        end_(positions.end),
        in_run_(next_) {}

  /// Its count is 0 when no position is left.
  void next(KeyTile& tile) {
    tile.first = next_;
    tile.count = std::clamp<Index>(end_ - next_, 0, kKeyTile);
    for (Index i = 0; i < tile.count; ++i, ++in_run_) {
      while (in_run_ >= Index{runs_[run_].tokens}) in_run_ -= Index{runs_[run_++].tokens};
      const auto at = static_cast<std::size_t>(i);
      tile.keys[at] = runs_[run_].keys + in_run_ * width_ + column_;
      tile.values[at] = runs_[run_].values + in_run_ * width_ + column_;
    }
    next_ += tile.count;
  }

 private:
  std::span<const KvRun> runs_;
  Index column_, width_;
  Index next_, end_;  ///< positions
  std::size_t run_ = 0;
  Index in_run_;  ///< of position next_, counted from the start of run_
};

}  // namespace kvarium::cpu
