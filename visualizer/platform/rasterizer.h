#pragma once
// Draws what Dear ImGui has laid out into memory, the way a graphics card would: for screenshots without a display.

#include "visualizer/platform/image.h"

struct ImDrawData;

namespace kvarium::ui {

class CpuTextures;

/// Draws all lists of `data` over `target`, whose pixel (0, 0) is data.DisplayPos. A pixel belongs to a triangle when
/// its centre is inside; neighbours that share an edge neither overlap nor leave a gap. Unknown textures and callbacks
/// are skipped.
void draw_on_cpu(const ImDrawData& data, const CpuTextures& textures, Image& target);

}  // namespace kvarium::ui
