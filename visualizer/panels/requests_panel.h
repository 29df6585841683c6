#pragma once
// The list of requests: letter, state, tokens, blocks. A click isolates one everywhere.

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

void draw_requests_panel(PanelContext& context, const layout::Rect& dock);

}  // namespace kvarium::ui
