#pragma once
// The line at the bottom: whether everything that must hold does, and the numbers of the moment.

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

void draw_status_panel(PanelContext& context, const layout::Rect& dock);

}  // namespace kvarium::ui
