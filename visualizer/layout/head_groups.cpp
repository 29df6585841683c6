#include "visualizer/layout/head_groups.h"

#include <cmath>

namespace kvarium::ui::layout {
namespace {

constexpr float kSmallest = 6;  // pixels: what is smaller is no picture
constexpr float kBetween = 4;   // gaps between two groups

struct Packing {
  std::uint32_t groups_a_row = 1, rows = 1;
  float width = 0, height = 0;  // of a group
};

Packing pack(std::uint32_t heads, std::uint32_t groups, float side, float room, float bar, float gap) {
  Packing packing;
  packing.width = static_cast<float>(heads) * (side + gap) - gap;
  packing.height = bar + side + 2 * gap;
  const float pitch = packing.width + kBetween * gap;
  const float fit = std::floor((room + kBetween * gap) / pitch);
  packing.groups_a_row = std::clamp(static_cast<std::uint32_t>(std::max(1.0F, fit)), 1U, groups);
  packing.rows = (groups + packing.groups_a_row - 1) / packing.groups_a_row;
  return packing;
}

}  // namespace

std::optional<std::uint32_t> HeadGroups::hit(Point point) const {
  for (std::uint32_t h = 0; h < heads.size(); ++h) {
    if (heads[h].contains(point)) return h;
  }
  return std::nullopt;
}

HeadGroups head_groups(std::uint32_t query_heads, std::uint32_t kv_heads, const Rect& room, float largest, float bar,
                       float gap) {
  HeadGroups result;
  if (kv_heads == 0 || query_heads < kv_heads) return result;
  const std::uint32_t share = query_heads / kv_heads;
  float side = std::floor(largest);
  Packing packing = pack(share, kv_heads, side, room.width, bar, gap);
  const auto fits = [&] {
    return packing.width <= room.width && static_cast<float>(packing.rows) * packing.height <= room.height;
  };
  while (side > kSmallest && !fits()) packing = pack(share, kv_heads, --side, room.width, bar, gap);
  result.side = side;
  result.height = static_cast<float>(packing.rows) * packing.height;
  for (std::uint32_t g = 0; g < kv_heads; ++g) {
    const float x = room.x + static_cast<float>(g % packing.groups_a_row) * (packing.width + kBetween * gap);
    const float y = room.y + static_cast<float>(g / packing.groups_a_row) * packing.height;
    result.bars.push_back({x, y, packing.width, bar});
    for (std::uint32_t i = 0; i < share; ++i) {
      result.heads.push_back({x + static_cast<float>(i) * (side + gap), y + bar + gap, side, side});
    }
  }
  return result;
}

}  // namespace kvarium::ui::layout
