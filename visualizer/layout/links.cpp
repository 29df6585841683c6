#include "visualizer/layout/links.h"

#include <algorithm>
#include <cmath>

namespace kvarium::ui::layout {
namespace {

Point between(Point a, Point b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

}  // namespace

Curve link_curve(const Rect& entry, const Rect& block) {
  const Point from{entry.centre().x, entry.bottom()}, to{block.centre().x, block.y};
  const float reach = std::max(12.0F, (to.y - from.y) * 0.5F);
  return {from, {from.x, from.y + reach}, {to.x, to.y - reach}, to};
}

Curve copy_curve(const Rect& from, const Rect& to) {
  const Point start{from.centre().x, from.y + from.height * 0.3F}, end{to.centre().x, to.y + to.height * 0.3F};
  const float rise = std::clamp(std::abs(end.x - start.x) * 0.25F, 24.0F, 60.0F);
  return {start, {start.x, start.y - rise}, {end.x, end.y - rise}, end};
}

Point point_on(const Curve& curve, float t) { return first_part(curve, t)[3]; }

Curve first_part(const Curve& curve, float t) {
  const Point a = between(curve[0], curve[1], t), b = between(curve[1], curve[2], t),
              c = between(curve[2], curve[3], t);
  const Point d = between(a, b, t), e = between(b, c, t);
  return {curve[0], a, d, between(d, e, t)};
}

}  // namespace kvarium::ui::layout
