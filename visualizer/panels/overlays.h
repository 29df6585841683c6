#pragma once
// What lies over the docks: the sheet of all keys, a message about what went wrong, the first hint.

#include <string>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct Toast {
  std::string words;
  bool is_error = false;
  double until = 0;  ///< seconds of the program's clock; an error stays until it is closed
};

void draw_keys_sheet(PanelContext& context, bool& open);
void draw_toast(PanelContext& context, Toast& toast);
/// One line above the transport that says how to start. A key or a click takes it away.
void draw_hint(PanelContext& context, const layout::Rect& below);

}  // namespace kvarium::ui
