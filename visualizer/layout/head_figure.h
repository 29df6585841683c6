#pragma once
// Query heads as small squares above the K and V that they read: each group stands over one box.

#include <cstdint>
#include <vector>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

struct HeadFigure {
  float side = 0;             ///< of a query head's square, its gap included; 0: there is no room
  std::vector<Rect> queries;  ///< [query_heads], group after group
  std::vector<Rect> stores;   ///< [stores]: below the squares of its group, as wide as they are together
};

/// `stores`: KV heads, or 1 for a latent row; they divide query_heads. The squares are as large as the area allows, at
/// most `largest` pixels; all groups have the same form.
HeadFigure head_figure(std::uint32_t query_heads, std::uint32_t stores, const Rect& area, float largest);

}  // namespace kvarium::ui::layout
