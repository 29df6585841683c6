#pragma once
// The curves from an entry of a block table down to its physical block.

#include <array>

#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// A cubic Bezier curve: two ends and two handles.
using Curve = std::array<Point, 4>;

/// From the middle of the lower edge of `entry` to the middle of the upper edge of `block`, leaving and arriving
/// upright, so that bundles of curves do not cross at their ends.
Curve link_curve(const Rect& entry, const Rect& block);
/// From one block of the pool over to another: it leaves and arrives from above, so that blocks between stay readable.
Curve copy_curve(const Rect& from, const Rect& to);
/// The point at t in [0, 1].
Point point_on(const Curve& curve, float t);
/// The first part of the curve, up to t (de Casteljau): a link that grows.
Curve first_part(const Curve& curve, float t);

}  // namespace kvarium::ui::layout
