#pragma once
// The Roofline tab: whether a model on a processor waits for memory or for arithmetic, and what moves the dots.

#include <array>
#include <optional>
#include <string>

#include "core/cost/roofline.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

/// A dot on its way, in powers of ten.
struct MovingDot {
  double intensity = 0, rate = 0;
};

struct RooflinePanelState {
  int model = 0;  ///< index into model_shapes(); the panel starts at Llama 3.1 8B
  bool started = false;
  int heads = 0;                           ///< 0: as published; else HeadKind + 1
  int hardware = 1;                        ///< index into hardware_profiles(); one past its end: this machine
  int batch = 1;                           ///< sequences
  int context = 4096;                      ///< tokens
  int weights = 2, kv = 2;                 ///< indexes into element_types(): BF16
  std::optional<HardwareProfile> machine;  ///< as measured
  bool measuring = false;
  std::array<std::optional<MovingDot>, 3> dots{};  ///< where they are drawn now
};

void draw_roofline_panel(PanelContext& context, RooflinePanelState& state, const layout::Rect& dock);

}  // namespace kvarium::ui
