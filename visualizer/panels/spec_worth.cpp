// What guessing was worth, beside what theory expects: accepted guesses a round, and speed-up by length.

#include <fmt/format.h>

#include "core/words/words.h"
#include "visualizer/layout/spec_charts.h"
#include "visualizer/panels/spec_view.h"

namespace kvarium::ui {
namespace {

using layout::Point;
using layout::Rect;

constexpr float kChart = 92, kLine = 15;  // logical pixels

void draw_histogram(SpecView& view) {
  PanelContext& context = view.context;
  const SpeculationFigures& figures = view.state.figures;
  const Canvas canvas = kvarium::ui::canvas(context.ui, "spec_histogram", {room_left().width, view.px(kChart)});
  Painter painter(*canvas.list, context.ui);
  const Theme& theme = painter.theme();
  Rect area = layout_rect(canvas);
  painter.text(layout::cut_top(area, view.px(kLine)), tr("accepted a round; outlines: by theory"), theme.dim,
               FontRole::small);
  const Rect names = layout::cut_bottom(area, view.px(kLine));
  layout::cut_top(area, view.px(kLine));  // the counts above the highest bars
  std::vector<double> counted(figures.with_accepted.begin(), figures.with_accepted.end());
  const layout::PairedBars bars = layout::paired_bars(area, counted, figures.expected_with_accepted);
  painter.line({area.x, area.bottom()}, {area.right(), area.bottom()}, theme.line);
  std::string told;
  for (std::size_t a = 0; a < bars.counted.size(); ++a) {
    const Rect &solid = bars.counted[a], &outline = bars.expected[a];
    painter.fill(solid, theme.accent, 1);
    painter.outline(outline, theme.warning, 1.5F, 1);
    const float width = outline.right() - solid.x;
    painter.text({solid.x, names.y, width, names.height}, std::to_string(a), theme.dim, FontRole::small, Align::centre);
    const std::string words = fmt::format("{}", figures.with_accepted[a]);
    const float top = std::min(solid.y, outline.y) - view.px(kLine);
    painter.text_if_fits({solid.x, top, width, view.px(kLine)}, words, theme.text, FontRole::small, Align::centre);
    told += fmt::format("{}{}: {} ({:.1f})", told.empty() ? "" : ", ", a, words, figures.expected_with_accepted[a]);
  }
  context.ui.registry.add_rect("spec_histogram_bars", "chart", tr("accepted a round"), told, canvas.id,
                               screen_rect(layout_rect(canvas)));
}

/// A length on the line of speed-ups; its number in one of the two lines at the right edge, away from the curve.
void draw_length(Painter& painter, const Rect& area, const Point& at, const std::string& words, bool best) {
  const Theme& theme = painter.theme();
  const Colour colour = best ? theme.good : theme.text;
  painter.line(at, {at.x, area.bottom()}, with_alpha(colour, 0.5F));
  best ? painter.circle(at, 4, colour) : painter.ring(at, 4, colour, 2);
  Rect lines = area.inset(painter.px(4));
  const Rect above = layout::cut_bottom(lines, painter.px(kLine)), line = layout::cut_bottom(lines, painter.px(kLine));
  painter.text(best ? line : above, words, colour, FontRole::small, Align::right);
}

void draw_speedups(SpecView& view) {
  PanelContext& context = view.context;
  const SpeculationFigures& figures = view.state.figures;
  const Canvas canvas = kvarium::ui::canvas(context.ui, "spec_speedup", {room_left().width, view.px(kChart + 8)});
  Painter painter(*canvas.list, context.ui);
  const Theme& theme = painter.theme();
  Rect area = layout_rect(canvas);
  painter.text(layout::cut_top(area, view.px(kLine)), tr("speed-up by k; dot: best, ring: this run"), theme.dim,
               FontRole::small);
  const Rect names = layout::cut_bottom(area, view.px(kLine));
  layout::cut_left(area, view.px(8));  // half a number
  layout::cut_right(area, view.px(8));
  const layout::Range across{0, kLongestModelled}, upwards = layout::range_of(figures.speedups);
  const auto point = [&](std::size_t k) {
    return layout::place_in(area, across, static_cast<double>(k), upwards, figures.speedups[k]);
  };
  painter.fill(area, theme.background, 3);
  const float one = layout::place_in(area, across, 0, upwards, 1).y;
  painter.line({area.x, one}, {area.right(), one}, theme.grid);
  painter.text({area.x + view.px(2), one - view.px(kLine), view.px(60), view.px(kLine)}, "1.0", theme.dim,
               FontRole::small);
  for (std::size_t k = 1; k < figures.speedups.size(); ++k) painter.line(point(k - 1), point(k), theme.accent, 2);
  for (const std::size_t k : {0U, 4U, 8U, 12U, 16U}) {
    painter.text({point(k).x - view.px(12), names.y, view.px(24), names.height}, std::to_string(k), theme.dim,
                 FontRole::small, Align::centre);
  }
  const std::size_t now = view.world().most_drafts;
  const auto words = [&](std::size_t k, std::string_view what) {
    return fmt::format("{}: k = {}, {:.2f}x", tr(what), k, figures.speedups[k]);
  };
  if (now < figures.speedups.size() && now != figures.best_length) {
    draw_length(painter, area, point(now), words(now, "this run"), false);
  }
  draw_length(painter, area, point(figures.best_length), words(figures.best_length, "best"), true);
  std::string told;
  for (std::size_t k = 0; k < figures.speedups.size(); ++k) {
    told += fmt::format("{}{}: {:.2f}", told.empty() ? "" : ", ", k, figures.speedups[k]);
  }
  context.ui.registry.add_rect("spec_speedup_line", "chart", tr_format("best k {}", figures.best_length), told,
                               canvas.id, screen_rect(layout_rect(canvas)));
}

}  // namespace

void draw_worth(SpecView& view) {
  PanelContext& context = view.context;
  spec_title(view, "spec_worth_title", "What it is worth");
  float cost = static_cast<float>(view.state.cost);
  const std::string shown = tr_format("c = {:.2f} of a pass", view.state.cost_of_a_guess());
  if (slider(context.ui, "spec_cost", "A guess costs", cost, 0, 100, shown,
             {.tooltip = "What one step of the proposer costs, in passes of the target"})) {
    view.state.cost = static_cast<int>(cost + 0.5F);
  }
  const WithFont small(context.ui.fonts(), FontRole::small);
  std::size_t number = 0;
  for (const std::string& sentence :
       figures_in_words(view.state.figures, view.world().most_drafts, view.state.cost_of_a_guess())) {
    wrapped_text(context.ui, fmt::format("spec_worth/{}", number++), sentence);
  }
  if (view.state.figures.rounds == 0) return;
  draw_histogram(view);
  draw_speedups(view);
}

}  // namespace kvarium::ui
