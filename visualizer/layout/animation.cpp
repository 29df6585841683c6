#include "visualizer/layout/animation.h"

#include <algorithm>

namespace kvarium::ui {
namespace {

float between(float a, float b, float t) { return a + (b - a) * t; }

}  // namespace

float ease_out_cubic(float t) {
  const float left = 1 - t;
  return 1 - left * left * left;
}

float ease_in_out(float t) { return t * t * (3 - 2 * t); }

float Tween::progress(double now) const {
  if (duration <= 0) return 1;
  return static_cast<float>(std::clamp((now - start) / duration, 0.0, 1.0));
}

double change_seconds(float speed, bool stepping, bool reduce_motion) {
  if (reduce_motion) return 0;
  if (stepping) return kStructureSeconds;
  if (speed == kMaxSpeed || speed >= 8) return 0;
  return kStructureSeconds / std::max(1.0, static_cast<double>(speed));
}

BlockLook look_of(const layout::BlockPicture& block) {
  return {block.holds() ? 1.0F : 0.0F, static_cast<float>(block.filled), block.new_count > 0 ? 1.0F : 0.0F,
          block.read > 0 ? 1.0F : 0.0F};
}

BlockLook mix(const BlockLook& from, const BlockLook& to, float t) {
  return {between(from.owned, to.owned, t), between(from.filled, to.filled, t), between(from.flash, to.flash, t),
          between(from.read, to.read, t)};
}

}  // namespace kvarium::ui
