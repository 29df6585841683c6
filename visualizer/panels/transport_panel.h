#pragma once
// Play, pause, step, speed: where in the run the picture is, and how it moves.

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

void draw_transport_panel(PanelContext& context, const layout::Rect& dock);
/// "1x", "0.25x", "max"
std::string speed_name(float speed);

}  // namespace kvarium::ui
