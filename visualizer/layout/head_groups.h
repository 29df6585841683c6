#pragma once
// Small pictures of all query heads of a layer, those that share a KV head side by side under one bar (GQA).

#include <cstdint>
#include <optional>
#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

struct HeadGroups {
  float side = 0;           ///< of a small picture, pixels
  std::vector<Rect> heads;  ///< [query_heads]: the picture of each
  std::vector<Rect> bars;   ///< [kv_heads]: above the pictures of its query heads
  float height = 0;         ///< that all of it takes
  std::optional<std::uint32_t> hit(Point point) const;
};

/// As large as fits into `room`, at most `largest` pixels a picture, in as many rows as that takes. `bar` is the height
/// of a KV head's bar. query_heads is a multiple of kv_heads.
HeadGroups head_groups(std::uint32_t query_heads, std::uint32_t kv_heads, const Rect& room, float largest, float bar,
                       float gap);

}  // namespace kvarium::ui::layout
