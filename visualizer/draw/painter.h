#pragma once
// Drawing in the terms of this program: rectangles of layout/, colours of the theme, sizes in logical pixels.

#include <initializer_list>
#include <string>
#include <string_view>

#include "visualizer/layout/geometry.h"
#include "visualizer/layout/links.h"
#include "visualizer/layout/text_fit.h"
#include "visualizer/ui/ui.h"

struct ImDrawList;

namespace kvarium::ui {

enum class Align { left, centre, right };

/// Draws on one window's list for one frame. Rectangles are in pixels of the screen; widths and radii in logical
/// pixels.
class Painter {
 public:
  Painter(ImDrawList& list, const Ui& ui) : list_(list), ui_(ui) {}

  const Ui& ui() const { return ui_; }
  const Theme& theme() const { return ui_.theme(); }
  ImDrawList& list() { return list_; }
  float px(float logical) const { return ui_.px(logical); }

  void fill(const layout::Rect& rect, Colour colour, float radius = 0);
  void outline(const layout::Rect& rect, Colour colour, float width = 1, float radius = 0);
  /// `phase` in [0, 1] moves the dashes along the edges, by a dash and a space in all.
  void dashed(const layout::Rect& rect, Colour colour, float dash, float space, float phase = 0, float width = 1);
  /// A dashed curve.
  void dashed(const layout::Curve& curve, Colour colour, float dash, float space, float phase, float width);
  void line(layout::Point from, layout::Point to, Colour colour, float width = 1);
  void curve(const layout::Curve& curve, Colour colour, float width);
  void triangle(layout::Point a, layout::Point b, layout::Point c, Colour colour);
  void circle(layout::Point centre, float radius, Colour colour);
  void ring(layout::Point centre, float radius, Colour colour, float width = 1);
  /// Parallel lines over the rectangle, `space` apart, rising to the right (or falling).
  void hatch(const layout::Rect& rect, Colour colour, float space, bool rising = true);

  float measure(FontRole font, std::string_view text) const;
  float line_height(FontRole font) const;
  /// One line of text, vertically centred in `rect`, cut with "…" where it does not fit. Returns its width.
  float text(const layout::Rect& rect, std::string_view text, Colour colour, FontRole font = FontRole::body,
             Align align = Align::left);
  /// Like text(), but nothing is drawn when not all of it fits.
  void text_if_fits(const layout::Rect& rect, std::string_view text, Colour colour, FontRole font, Align align);

  /// One line that reads upwards from the bottom of `rect`, in its middle from left to right, cut where it does not
  /// fit.
  void upward_text(const layout::Rect& rect, std::string_view text, Colour colour, FontRole font);

  /// Nothing is drawn outside `rect` until pop_clip().
  void clip(const layout::Rect& rect);
  void pop_clip();

 private:
  ImDrawList& list_;
  const Ui& ui_;
};

}  // namespace kvarium::ui
