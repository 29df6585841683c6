#pragma once
// The Blocks tab: block tables above, the physical pool below, curves between them.

#include <optional>

#include "visualizer/draw/pool_texture.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct BlocksPanelState {
  float scroll = 0;                   ///< of the tables, pixels
  std::optional<CellState> isolated;  ///< the legend's chip that is on
  PoolTexture texture;                ///< for pools too large to draw block by block
};

void draw_blocks_panel(PanelContext& context, BlocksPanelState& state, const layout::Rect& dock);

}  // namespace kvarium::ui
