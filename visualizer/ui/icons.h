#pragma once
// Icons as strokes and shapes, sharp at every size; no icon font is needed.

#include "visualizer/platform/image.h"

struct ImDrawList;
struct ImVec2;

namespace kvarium::ui {

enum class Icon {
  play,
  pause,
  step_forward,
  step_back,
  next_mark,
  previous_mark,
  first,
  last,
  search,
  close,
  check,
  bookmark,
  plus,
  minus,
  chevron_right,
  chevron_down,
  copy,
  lock,
  warning,
  info,
  restart,
  half_moon,  ///< dark or light
};

/// Draws the icon in the square around `centre` whose side is `size` pixels.
void draw_icon(ImDrawList& list, Icon icon, const ImVec2& centre, float size, Colour colour);

}  // namespace kvarium::ui
