#include "visualizer/draw/painter.h"

#include <cmath>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

ImVec2 top_left(const layout::Rect& rect) { return {rect.x, rect.y}; }
ImVec2 bottom_right(const layout::Rect& rect) { return {rect.right(), rect.bottom()}; }
ImVec2 vec(layout::Point point) { return {point.x, point.y}; }

/// The first dash starts `phase` of a dash and a space before `from`.
void dashes(ImDrawList& list, ImVec2 from, ImVec2 to, Colour colour, float width, float dash, float space,
            float phase) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length <= 0) return;
  for (float start = (phase - 1) * (dash + space); start < length; start += dash + space) {
    const float at = std::max(0.0F, start), end = std::min(start + dash, length);
    if (end <= at) continue;
    list.AddLine({from.x + dx * at / length, from.y + dy * at / length},
                 {from.x + dx * end / length, from.y + dy * end / length}, colour, width);
  }
}

}  // namespace

void Painter::fill(const layout::Rect& rect, Colour colour, float radius) {
  if (!rect.empty()) list_.AddRectFilled(top_left(rect), bottom_right(rect), colour, px(radius));
}

void Painter::outline(const layout::Rect& rect, Colour colour, float width, float radius) {
  if (!rect.empty()) list_.AddRect(top_left(rect), bottom_right(rect), colour, px(radius), 0, px(width));
}

void Painter::dashed(const layout::Rect& rect, Colour colour, float dash, float space, float phase, float width) {
  if (rect.empty()) return;
  const layout::Rect at = rect.inset(0.5F);
  const ImVec2 a{at.x, at.y}, b{at.right(), at.y}, c{at.right(), at.bottom()}, d{at.x, at.bottom()};
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, d}, std::pair{d, a}}) {
    dashes(list_, from, to, colour, px(width), px(dash), px(space), phase);
  }
}

void Painter::dashed(const layout::Curve& curve, Colour colour, float dash, float space, float phase, float width) {
  constexpr int kParts = 96;  // short enough that a part is straight
  const float period = px(dash) + px(space);
  float along = -phase * period;
  for (int i = 0; i < kParts; ++i) {
    const layout::Point from = layout::point_on(curve, static_cast<float>(i) / kParts);
    const layout::Point to = layout::point_on(curve, static_cast<float>(i + 1) / kParts);
    if (along - std::floor(along / period) * period < px(dash)) list_.AddLine(vec(from), vec(to), colour, px(width));
    along += std::hypot(to.x - from.x, to.y - from.y);
  }
}

void Painter::line(layout::Point from, layout::Point to, Colour colour, float width) {
  list_.AddLine(vec(from), vec(to), colour, px(width));
}

void Painter::curve(const layout::Curve& curve, Colour colour, float width) {
  list_.AddBezierCubic(vec(curve[0]), vec(curve[1]), vec(curve[2]), vec(curve[3]), colour, px(width));
}

void Painter::triangle(layout::Point a, layout::Point b, layout::Point c, Colour colour) {
  list_.AddTriangleFilled(vec(a), vec(b), vec(c), colour);
}

void Painter::circle(layout::Point centre, float radius, Colour colour) {
  list_.AddCircleFilled(vec(centre), px(radius), colour);
}

void Painter::ring(layout::Point centre, float radius, Colour colour, float width) {
  list_.AddCircle(vec(centre), px(radius), colour, 0, px(width));
}

void Painter::hatch(const layout::Rect& rect, Colour colour, float space, bool rising) {
  if (rect.empty()) return;
  clip(rect);
  for (float at = -rect.height; at < rect.width; at += px(space)) {
    const float left = rect.x + at, right = left + rect.height;
    if (rising)
      list_.AddLine({left, rect.bottom()}, {right, rect.y}, colour, px(1));
    else
      list_.AddLine({left, rect.y}, {right, rect.bottom()}, colour, px(1));
  }
  pop_clip();
}

float Painter::measure(FontRole font, std::string_view text) const {
  const WithFont face(ui_.fonts(), font);
  return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
}

float Painter::line_height(FontRole font) const {
  const WithFont face(ui_.fonts(), font);
  return ImGui::GetFontSize();
}

float Painter::text(const layout::Rect& rect, std::string_view text, Colour colour, FontRole font, Align align) {
  const auto measured = [&](std::string_view part) { return measure(font, part); };
  const std::string fitted = layout::fit_text(text, rect.width, measured);
  if (fitted.empty()) return 0;
  const float width = measure(font, fitted), height = line_height(font);
  float x = rect.x;
  if (align == Align::centre) x += (rect.width - width) / 2;
  if (align == Align::right) x += rect.width - width;
  const ImVec2 at{std::round(x), std::round(rect.y + (rect.height - height) / 2)};
  list_.AddText(ui_.fonts().get(font), height, at, colour, fitted.data(), fitted.data() + fitted.size());
  return width;
}

void Painter::text_if_fits(const layout::Rect& rect, std::string_view words, Colour colour, FontRole font,
                           Align align) {
  if (measure(font, words) <= rect.width && line_height(font) <= rect.height + px(2))
    text(rect, words, colour, font, align);
}

void Painter::upward_text(const layout::Rect& rect, std::string_view text, Colour colour, FontRole font) {
  const auto measured = [&](std::string_view part) { return measure(font, part); };
  const std::string fitted = layout::fit_text(text, rect.height, measured);
  if (fitted.empty()) return;
  const float height = line_height(font);
  const float left = std::round(rect.x + (rect.width - height) / 2), bottom = std::round(rect.bottom());
  // Written from left to right first, anywhere; then each corner of each letter is turned by a quarter.
  const ImVec2 at = list_.GetClipRectMin();
  const int first = list_.VtxBuffer.Size;
  list_.AddText(ui_.fonts().get(font), height, at, colour, fitted.data(), fitted.data() + fitted.size());
  for (int i = first; i < list_.VtxBuffer.Size; ++i) {
    ImVec2& corner = list_.VtxBuffer[i].pos;
    corner = {left + (corner.y - at.y), bottom - (corner.x - at.x)};
  }
}

void Painter::clip(const layout::Rect& rect) { list_.PushClipRect(top_left(rect), bottom_right(rect), true); }
void Painter::pop_clip() { list_.PopClipRect(); }

}  // namespace kvarium::ui
