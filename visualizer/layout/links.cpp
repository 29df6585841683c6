#include "visualizer/layout/links.h"

#include <algorithm>

namespace kvarium::ui::layout {
namespace {

Point between(Point a, Point b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

}  // namespace

Curve link_curve(const Rect& entry, const Rect& block) {
  const Point from{entry.centre().x, entry.bottom()}, to{block.centre().x, block.y};
  const float reach = std::max(12.0F, (to.y - from.y) * 0.5F);
  return {from, {from.x, from.y + reach}, {to.x, to.y - reach}, to};
}

Point point_on(const Curve& curve, float t) { return first_part(curve, t)[3]; }

Curve first_part(const Curve& curve, float t) {
  const Point a = between(curve[0], curve[1], t), b = between(curve[1], curve[2], t),
              c = between(curve[2], curve[3], t);
  const Point d = between(a, b, t), e = between(b, c, t);
  return {curve[0], a, d, between(d, e, t)};
}

}  // namespace kvarium::ui::layout
