// Two rules of acceptance side by side: the exact one, and the bug zoo's, which takes the place of a rejected guess
// from the target's own distribution. Counting tells them apart.

#include <fmt/format.h>

#include <cmath>

#include "core/cost/units.h"
#include "core/speculation/rule_report.h"
#include "core/words/words.h"
#include "visualizer/layout/spec_charts.h"
#include "visualizer/panels/spec_view.h"

namespace kvarium::ui {
namespace {

using layout::Point;
using layout::Rect;

constexpr int kDrawStops[] = {100, 1'000, 10'000, 100'000};
constexpr float kShares = 17, kChart = 86, kLine = 15;  // logical pixels

std::string in_brackets(const std::vector<double>& numbers, int digits) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:.{}f}", text.empty() ? "" : ", ", number, digits);
  return "(" + text + ")";
}

/// One bar from 0 to 1, cut where one token's share ends; below it small marks where the rule leads in the end.
void draw_shares(SpecView& view, std::string_view id, std::string_view name, const RuleExperiment& rule) {
  PanelContext& context = view.context;
  const float height = view.px(kLine + kShares + 6);
  const Canvas canvas = kvarium::ui::canvas(context.ui, id, {room_left().width, height});
  Painter painter(*canvas.list, context.ui);
  const Theme& theme = painter.theme();
  Rect area = layout_rect(canvas);
  painter.text(layout::cut_top(area, view.px(kLine)), name, theme.text, FontRole::small);
  const Rect bar = layout::cut_top(area, view.px(kShares));
  float x = bar.x;
  double end = 0;
  const std::vector<double> shares = rule.shares(), law = rule.law();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Rect part{x, bar.y, bar.width * static_cast<float>(shares[i]), bar.height};
    painter.fill(part, i % 2 == 0 ? theme.selected : theme.raised, 1);
    painter.outline(part, theme.outline, 1, 1);
    painter.text_if_fits(part, fmt::format("{}: {:.3f}", i, shares[i]), theme.text, FontRole::small, Align::centre);
    x = part.right();
    end += law[i];
    if (i + 1 == shares.size()) break;
    const Point tip{bar.x + bar.width * static_cast<float>(end), bar.bottom()};
    const float size = view.px(4);
    painter.triangle(tip, {tip.x + size, tip.y + size}, {tip.x - size, tip.y + size}, theme.text);
  }
  context.ui.registry.add_rect(std::string(id) + "_bar", "chart", tr(name), in_brackets(shares, 3), canvas.id,
                               screen_rect(bar));
}

void draw_verdict(SpecView& view, std::string_view id, const RuleExperiment& rule) {
  if (rule.draws() == 0) return;
  const bool fits = rule.fits();
  ImGui::PushStyleColor(ImGuiCol_Text, fits ? view.theme().good : view.theme().bad);
  wrapped_text(view.context.ui, id, fmt::format("{} {}", fits ? "✓" : "✗", fit_in_words(rule)));
  ImGui::PopStyleColor();
}

/// The statistic over the draws, both axes by powers of ten.
void draw_running(SpecView& view, const RuleTrial& trial) {
  PanelContext& context = view.context;
  const Canvas canvas = kvarium::ui::canvas(context.ui, "spec_chi_square", {room_left().width, view.px(kChart)});
  Painter painter(*canvas.list, context.ui);
  const Theme& theme = painter.theme();
  Rect area = layout_rect(canvas);
  painter.text(layout::cut_top(area, view.px(kLine)), tr("chi-square as the draws go on; level line: by chance"),
               theme.dim, FontRole::small);
  painter.fill(area, theme.background, 3);
  if (trial.exact->draws() == 0) return;
  const layout::Range across{0, 5}, upwards{-2, 6};
  const auto place = [&](double draws, double statistic) {
    return layout::place_in(area, across, std::log10(draws), upwards, std::log10(std::max(statistic, 1e-2)));
  };
  const float level = place(1, trial.exact->critical()).y;
  painter.line({area.x, level}, {area.right(), level}, theme.text);
  painter.text({area.x + view.px(3), level - view.px(kLine), view.px(60), view.px(kLine)},
               fmt::format("{:.1f}", trial.exact->critical()), theme.text, FontRole::small);
  const auto line = [&](const RuleExperiment& rule, Colour colour, std::string_view name, float width) {
    const auto& marks = rule.marks();
    for (std::size_t i = 1; i < marks.size(); ++i) {
      painter.line(place(static_cast<double>(marks[i - 1].draws), marks[i - 1].statistic),
                   place(static_cast<double>(marks[i].draws), marks[i].statistic), colour, width);
    }
    const Point end = place(static_cast<double>(marks.back().draws), marks.back().statistic);
    const float room = painter.measure(FontRole::small, name);
    painter.text({std::max(area.x, end.x - room - view.px(4)), end.y - view.px(kLine), room + 1, view.px(kLine)}, name,
                 colour, FontRole::small);
  };
  line(*trial.exact, theme.good, tr("residual"), 1.5F);
  line(*trial.zoo, theme.bad, tr("from p"), 2.5F);
}

}  // namespace

void draw_rules(SpecView& view) {
  PanelContext& context = view.context;
  RuleTrial& trial = view.state.trial;
  ImGui::Spacing();
  spec_title(view, "spec_rules_title", "Is the rule exact?");
  std::vector<std::string> names;
  for (const RuleProblem& problem : rule_problems()) names.push_back(problem.title);
  combo(context.ui, "spec_problem", "", trial.problem, names, {.tooltip = "What the target says, and the draft"});
  slider_stops(context.ui, "spec_draws", "Draws of each rule", trial.draws, kDrawStops,
               {.tooltip = "Guess, verdict, and what takes the place of a rejected guess, so many times"});
  trial.advance(0);  // a problem that was just chosen
  const WithFont small(context.ui.fonts(), FontRole::small);
  const RuleProblem& problem = rule_problems()[static_cast<std::size_t>(trial.problem)];
  wrapped_text(context.ui, "spec_p_and_q",
               tr_format("the target's p {}, the draft's q {}", in_brackets(problem.p, 2), in_brackets(problem.q, 2)));
  wrapped_text(context.ui, "spec_worked", worked_position(problem));
  draw_shares(view, "spec_exact", "a rejected guess is replaced from the residual", *trial.exact);
  draw_verdict(view, "spec_exact_verdict", *trial.exact);
  draw_shares(view, "spec_zoo", "from p itself, as in the bug zoo", *trial.zoo);
  draw_verdict(view, "spec_zoo_verdict", *trial.zoo);
  wrapped_text(context.ui, "spec_drawn",
               tr_format("{} draws. Marks: where each rule leads, {} and {}.", with_commas(trial.exact->draws()),
                         in_brackets(trial.exact->law(), 2), in_brackets(trial.zoo->law(), 2)));
  draw_running(view, trial);
}

}  // namespace kvarium::ui
