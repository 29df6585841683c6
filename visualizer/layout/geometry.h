#pragma once
// Points and rectangles in pixels, y downwards. Nothing here knows ImGui, so all geometry is tested without a window.

#include <algorithm>

namespace kvarium::ui::layout {

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Half open: [x, right()) x [y, bottom()), so that neighbours share no point.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;

  float right() const { return x + width; }
  float bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  bool empty() const { return width <= 0 || height <= 0; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  /// Smaller by `margin` on each side; never negative. A negative margin makes it larger.
  Rect inset(float margin) const {
    return {x + margin, y + margin, std::max(0.0F, width - 2 * margin), std::max(0.0F, height - 2 * margin)};
  }
  Rect scaled(float factor) const { return {x * factor, y * factor, width * factor, height * factor}; }
  bool operator==(const Rect&) const = default;
};

inline bool overlap(const Rect& a, const Rect& b) {
  return !a.empty() && !b.empty() && a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

/// Cuts the top (bottom, left, right) off `rest` and returns it; at most what is there.
inline Rect cut_top(Rect& rest, float height) {
  const float cut = std::clamp(height, 0.0F, std::max(0.0F, rest.height));
  const Rect part{rest.x, rest.y, rest.width, cut};
  rest.y += cut;
  rest.height -= cut;
  return part;
}
inline Rect cut_bottom(Rect& rest, float height) {
  const float cut = std::clamp(height, 0.0F, std::max(0.0F, rest.height));
  rest.height -= cut;
  return {rest.x, rest.bottom(), rest.width, cut};
}
inline Rect cut_left(Rect& rest, float width) {
  const float cut = std::clamp(width, 0.0F, std::max(0.0F, rest.width));
  const Rect part{rest.x, rest.y, cut, rest.height};
  rest.x += cut;
  rest.width -= cut;
  return part;
}
inline Rect cut_right(Rect& rest, float width) {
  const float cut = std::clamp(width, 0.0F, std::max(0.0F, rest.width));
  rest.width -= cut;
  return {rest.right(), rest.y, cut, rest.height};
}

}  // namespace kvarium::ui::layout
