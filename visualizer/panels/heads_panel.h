#pragma once
// The Heads tab: how query heads share K and V in six models and in the run's own, what that saves, and two sizes that
// look right and are wrong.

#include <array>
#include <optional>
#include <string>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct HeadsPanelState {
  std::string chosen = "llama-3.1-8b";
  int tokens = 32768;
  int type = 2;                                 ///< index into element_types(): BF16
  std::array<std::optional<int>, 2> answers{};  ///< to the two questions: which of the sizes was pressed
};

void draw_heads_panel(PanelContext& context, HeadsPanelState& state, const layout::Rect& dock);

}  // namespace kvarium::ui
