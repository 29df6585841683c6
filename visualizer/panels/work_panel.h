#pragma once
// The Work tab: what each step computed and what it read, request beside request.

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

void draw_work_panel(PanelContext& context, const layout::Rect& dock);

}  // namespace kvarium::ui
