#include "visualizer/ui/icons.h"

#include <initializer_list>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

/// Draws in a square from (-1, -1), upper left, to (1, 1).
class Pen {
 public:
  Pen(ImDrawList& list, const ImVec2& centre, float size, Colour colour)
      : list_(list), centre_(centre), half_(size / 2), colour_(colour) {}

  ImVec2 at(float x, float y) const { return {centre_.x + x * half_, centre_.y + y * half_}; }
  float stroke() const { return half_ * 0.22F; }

  void line(float x0, float y0, float x1, float y1) const { list_.AddLine(at(x0, y0), at(x1, y1), colour_, stroke()); }
  void path(std::initializer_list<ImVec2> points) const {
    for (const ImVec2& point : points) list_.PathLineTo(at(point.x, point.y));
    list_.PathStroke(colour_, 0, stroke());
  }
  void bar(float x0, float y0, float x1, float y1) const { list_.AddRectFilled(at(x0, y0), at(x1, y1), colour_); }
  void frame(float x0, float y0, float x1, float y1) const {
    list_.AddRect(at(x0, y0), at(x1, y1), colour_, half_ * 0.2F, 0, stroke());
  }
  /// A filled triangle that points right (direction 1) or left (-1), its flat side at x.
  void arrow(float x, float width, float height, float direction) const {
    const ImVec2 a = at(x, -height), b = at(x + width * direction, 0), c = at(x, height);
    if (direction > 0) {
      list_.AddTriangleFilled(a, b, c, colour_);
    } else {
      list_.AddTriangleFilled(a, c, b, colour_);
    }
  }
  void ring(float x, float y, float radius) const { list_.AddCircle(at(x, y), radius * half_, colour_, 24, stroke()); }
  void dot(float x, float y, float radius) const { list_.AddCircleFilled(at(x, y), radius * half_, colour_, 12); }
  void arc(float radius, float from, float to) const {
    list_.PathArcTo(centre_, radius * half_, from, to, 24);
    list_.PathStroke(colour_, 0, stroke());
  }
  void half_disc(float radius) const {
    list_.PathArcTo(centre_, radius * half_, -IM_PI / 2, IM_PI / 2, 16);
    list_.PathFillConvex(colour_);
  }

 private:
  ImDrawList& list_;
  ImVec2 centre_;
  float half_;
  Colour colour_;
};

void draw_transport(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::play:
      return pen.arrow(-0.5F, 1.2F, 0.8F, 1);
    case Icon::pause:
      return pen.bar(-0.6F, -0.75F, -0.2F, 0.75F), pen.bar(0.2F, -0.75F, 0.6F, 0.75F);
    case Icon::step_forward:
      return pen.arrow(-0.6F, 0.9F, 0.7F, 1), pen.bar(0.4F, -0.7F, 0.65F, 0.7F);
    case Icon::step_back:
      return pen.arrow(0.6F, 0.9F, 0.7F, -1), pen.bar(-0.65F, -0.7F, -0.4F, 0.7F);
    case Icon::next_mark:
      return pen.arrow(-0.8F, 0.8F, 0.6F, 1), pen.arrow(0.05F, 0.8F, 0.6F, 1);
    case Icon::previous_mark:
      return pen.arrow(0.8F, 0.8F, 0.6F, -1), pen.arrow(-0.05F, 0.8F, 0.6F, -1);
    case Icon::first:
      return pen.bar(-0.8F, -0.7F, -0.6F, 0.7F), pen.arrow(0.75F, 1.2F, 0.7F, -1);
    default:
      return pen.bar(0.6F, -0.7F, 0.8F, 0.7F), pen.arrow(-0.75F, 1.2F, 0.7F, 1);
  }
}

void draw_sign(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::search:
      return pen.ring(-0.2F, -0.2F, 0.5F), pen.line(0.18F, 0.18F, 0.75F, 0.75F);
    case Icon::close:
      return pen.line(-0.6F, -0.6F, 0.6F, 0.6F), pen.line(-0.6F, 0.6F, 0.6F, -0.6F);
    case Icon::check:
      return pen.path({{-0.7F, 0.05F}, {-0.2F, 0.55F}, {0.7F, -0.5F}});
    case Icon::bookmark:
      return pen.path({{-0.45F, -0.75F}, {0.45F, -0.75F}, {0.45F, 0.75F}, {0, 0.3F}, {-0.45F, 0.75F}, {-0.45F, -0.8F}});
    case Icon::plus:
      return pen.line(-0.65F, 0, 0.65F, 0), pen.line(0, -0.65F, 0, 0.65F);
    case Icon::minus:
      return pen.line(-0.65F, 0, 0.65F, 0);
    case Icon::chevron_right:
      return pen.path({{-0.25F, -0.55F}, {0.3F, 0}, {-0.25F, 0.55F}});
    case Icon::chevron_down:
      return pen.path({{-0.55F, -0.25F}, {0, 0.3F}, {0.55F, -0.25F}});
    case Icon::copy:
      return pen.frame(-0.7F, -0.7F, 0.25F, 0.25F), pen.frame(-0.25F, -0.25F, 0.7F, 0.7F);
    case Icon::lock:
      return pen.bar(-0.6F, -0.05F, 0.6F, 0.75F),
             pen.path({{-0.35F, -0.05F}, {-0.35F, -0.5F}, {0, -0.75F}, {0.35F, -0.5F}, {0.35F, -0.05F}});
    case Icon::warning:
      return pen.path({{0, -0.75F}, {0.8F, 0.7F}, {-0.8F, 0.7F}, {0, -0.75F}}), pen.line(0, -0.25F, 0, 0.2F),
             pen.dot(0, 0.45F, 0.13F);
    case Icon::info:
      return pen.ring(0, 0, 0.75F), pen.line(0, -0.1F, 0, 0.4F), pen.dot(0, -0.38F, 0.13F);
    case Icon::restart:
      return pen.arc(0.6F, -1.2F, 3.9F), pen.path({{0.2F, -0.95F}, {0.25F, -0.55F}, {-0.15F, -0.35F}});
    default:
      return pen.ring(0, 0, 0.7F), pen.half_disc(0.7F);
  }
}

}  // namespace

void draw_icon(ImDrawList& list, Icon icon, const ImVec2& centre, float size, Colour colour) {
  const Pen pen(list, centre, size, colour);
  if (icon <= Icon::last) {
    draw_transport(pen, icon);
  } else {
    draw_sign(pen, icon);
  }
}

}  // namespace kvarium::ui
