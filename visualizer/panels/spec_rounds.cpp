// The rows of the Spec tab: a round each, its guesses in cells.

#include <fmt/format.h>

#include <algorithm>

#include "core/speculation/theory.h"
#include "core/token_text.h"
#include "core/words/words.h"
#include "visualizer/layout/draft_cells.h"
#include "visualizer/panels/spec_view.h"

namespace kvarium::ui {
namespace {

using layout::CachedState;
using layout::DraftCell;
using layout::Rect;

constexpr float kTitle = 19, kCells = 78, kRow = kTitle + kCells + 8;  // logical pixels

CachedState plate_of(DraftFate fate) {
  if (fate == DraftFate::waiting) return CachedState::draft;
  const bool counts = fate == DraftFate::accepted || fate == DraftFate::recovered || fate == DraftFate::bonus;
  return counts ? CachedState::valid : CachedState::stale;
}

Colour word_colour(const Theme& theme, DraftFate fate) {
  if (fate == DraftFate::accepted || fate == DraftFate::bonus) return theme.good;
  if (fate == DraftFate::rejected) return theme.bad;
  return fate == DraftFate::recovered ? theme.text : theme.dim;
}

void draw_word(Painter& painter, const Rect& area, DraftFate fate) {
  const Colour ink = word_colour(painter.theme(), fate);
  const std::string words = fmt::format("{} {}", fate_sign(fate), tr(fate_name(fate)));
  const bool fits = painter.measure(FontRole::small, words) <= area.width;
  painter.text(area, fits ? std::string_view(words) : fate_sign(fate), ink, FontRole::small, Align::centre);
}

/// A share of a whole: the bar is as long as 1 would be. `number` stands behind it.
void draw_bar(Painter& painter, const DraftCell& cell, const Rect& bar, std::string_view name, double share,
              double number, Colour colour) {
  const Theme& theme = painter.theme();
  painter.text({bar.x - painter.px(11), bar.y - painter.px(3), painter.px(10), bar.height + painter.px(6)}, name,
               theme.dim, FontRole::small);
  painter.fill(bar, theme.grid, 1);
  painter.fill({bar.x, bar.y, DraftCell::place(bar, share) - bar.x, bar.height}, colour, 1);
  if (!cell.has_numbers) return;
  painter.text(cell.number_of(bar), fmt::format("{:.2f}", number), theme.dim, FontRole::small, Align::right);
}

/// The numbers below p / q accept: that part is filled. A line with a point on it is u.
void draw_chance(Painter& painter, const DraftCell& cell, double p, double q, double u) {
  const Theme& theme = painter.theme();
  const Rect& bar = cell.chance;
  draw_bar(painter, cell, bar, "u", acceptance_probability(p, q), u, with_alpha(theme.good, 0.45F));
  const float end = DraftCell::place(bar, acceptance_probability(p, q)), at = DraftCell::place(bar, u);
  painter.line({end, bar.y}, {end, bar.bottom()}, theme.good, 1.5F);
  painter.line({at, bar.y - painter.px(1)}, {at, bar.bottom() + painter.px(1)}, theme.text, 1.5F);
  const float size = painter.px(3);
  painter.triangle({at, bar.y + size}, {at - size, bar.y - size}, {at + size, bar.y - size}, theme.text);
}

std::string numbers_of(const DraftRound& round, std::size_t i) {
  std::string text = fmt::format("q {:.3f}", round.q[i]);
  if (const DraftTrial* trial = round.trial_of(i)) text += fmt::format(", p {:.3f}, u {:.3f}", trial->p, trial->u);
  return text;
}

struct RowView {
  SpecView& view;
  Painter& painter;
  const RoundRecord& record;
  std::string id;  ///< of the row
  bool hovered = false;
};

void note_cell(RowView& row, const DraftCell& cell, const std::string& name, const std::string& label,
               const std::string& value) {
  row.view.context.ui.registry.add_rect(row.id + "/" + name, "draft", label, value, 0, screen_rect(cell.whole));
  if (!row.hovered || !cell.whole.contains(mouse())) return;
  ImGui::BeginTooltip();
  ImGui::TextUnformatted((label + "\n" + value).c_str());
  ImGui::EndTooltip();
}

void draw_draft(RowView& row, const DraftCell& cell, std::size_t i) {
  const DraftRound& round = row.record.round;
  const Theme& theme = row.painter.theme();
  const DraftFate fate = fate_of(round, i);
  const std::string name = row.view.world().text_of(round.tokens[i]);
  draw_cached(row.painter, cell.token, row.record.request, plate_of(fate), name);
  draw_bar(row.painter, cell, cell.q, "q", round.q[i], round.q[i], theme.dim);
  const DraftTrial* const trial = round.trial_of(i);
  const bool in_tree = !round.parents.empty();  // there u draws what the target says: it is no border
  if (trial != nullptr) draw_bar(row.painter, cell, cell.p, "p", trial->p, trial->p, theme.accent);
  if (trial != nullptr && !in_tree) draw_chance(row.painter, cell, trial->p, round.q[i], trial->u);
  draw_word(row.painter, cell.word, fate);
  std::string value = fmt::format("{}: {}", tr(fate_name(fate)), numbers_of(round, i));
  if (in_tree) {
    value += fmt::format(", {}", tr_format("for position {}", round.first + round.depth(i) - 1));
  } else if (trial != nullptr) {
    value += fmt::format(", {}", tr_format("accepted below {:.3f}", acceptance_probability(trial->p, round.q[i])));
  }
  note_cell(row, cell, std::to_string(i), printable(name), value);
}

void draw_next(RowView& row, const DraftCell& cell) {
  const DraftRound& round = row.record.round;
  if (!round.next) return;
  const DraftFate fate = fate_of_next(round);
  const std::string name = row.view.world().text_of(*round.next);
  draw_cached(row.painter, cell.token, row.record.request, plate_of(fate), name);
  row.painter.outline(cell.token, row.painter.theme().text, 1.5F, 2);
  const double share = round.next_probability;
  draw_bar(row.painter, cell, cell.p, "p", share, share, row.painter.theme().accent);
  draw_word(row.painter, cell.word, fate);
  note_cell(row, cell, "next", printable(name),
            fmt::format("{}: {}", tr(fate_name(fate)), tr_format("probability {:.3f}", round.next_probability)));
}

/// "2 of 5 accepted, 3 tokens, block 5 returned"; of a tree, how many other candidates there were.
std::string outcome_of(const RoundRecord& record) {
  const DraftRound& round = record.round;
  std::string text = tr_format("{} of {} judged", round.trials.size(), round.longest());
  if (round.next) {
    text = tr_format("{} of {} accepted, {} tokens", round.accepted(), round.longest(), record.given);
  }
  const std::size_t others = round.tokens.size() - layout::shown_drafts(round).size();
  if (others > 0) text += ", " + tr_format("{} other candidates", others);
  for (const BlockId block : record.returned) text += ", " + tr_format("block {} returned", value(block));
  return text;
}

/// After the round's step.
std::size_t end_of(const Trace& trace, const RoundRecord& record) {
  return record.step < trace.num_steps() ? trace.start_of_step(record.step + 1) : trace.size();
}

void draw_row(SpecView& view, std::size_t number) {
  PanelContext& context = view.context;
  const RoundRecord& record = view.state.rounds[number];
  const std::string id = fmt::format("spec/round/{}", number + 1);
  const Pressable place = pressable(context, id, "row", round_line(record), outcome_of(record), view.px(kRow));
  if (place.pressed) context.actions.jump(end_of(context.scene.trace(), record));
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  if (place.hovered) painter.fill(place.area, view.theme().hovered, 5);
  Rect area = place.area.inset(view.px(2));
  Rect title = layout::cut_top(area, view.px(kTitle));
  draw_letter(painter, layout::cut_left(title, view.px(17)), record.request);
  layout::cut_left(title, view.px(6));
  const Rect step = layout::cut_left(title, view.px(66));
  painter.text(step, tr_format("step {}", record.step), view.theme().dim, FontRole::small);
  painter.text(title, outcome_of(record), view.theme().text, FontRole::small);
  const std::vector<std::size_t> drafts = layout::shown_drafts(record.round);
  const layout::DraftCells cells = layout::draft_cells(area, drafts.size(), context.ui.scale());
  RowView row{view, painter, record, id, place.hovered};
  for (std::size_t i = 0; i < drafts.size(); ++i) draw_draft(row, cells.drafts[i], drafts[i]);
  draw_next(row, cells.next);
}

/// Hatched like a stale slot, with the token on a small plate.
void draw_rejected(Painter& painter, const Rect& cell, SlotLook look, std::string_view text) {
  const Theme& theme = painter.theme();
  look.state = layout::SlotState::reserved;
  draw_slot(painter, cell, look, "");
  const Colour hue = with_alpha(theme.owner(look.block->owners[0]).fill, 0.6F);
  painter.hatch(cell, hue, 7);
  painter.hatch(cell, hue, 7, false);
  const float width = std::min(cell.width, painter.measure(FontRole::small, text) + painter.px(6));
  const Rect plate{cell.centre().x - width / 2, cell.y + painter.px(2), width, cell.height - painter.px(4)};
  painter.fill(plate, theme.panel, 2);
  draw_token(painter, plate, text, theme.text);
}

}  // namespace

std::string_view fate_sign(DraftFate fate) {
  if (fate == DraftFate::waiting) return "?";
  if (fate == DraftFate::accepted) return "✓";
  if (fate == DraftFate::rejected) return "✗";
  if (fate == DraftFate::recovered) return "→";
  return fate == DraftFate::bonus ? "+" : "·";
}

void draw_cached(Painter& painter, const Rect& cell, RequestId owner, CachedState state, std::string_view text) {
  layout::BlockPicture whose;
  whose.owner_count = 1;
  whose.owners[0] = value(owner);
  SlotLook look;
  look.block = &whose;
  const Theme& theme = painter.theme();
  const Rect inside = cell.inset(painter.px(0.5F));
  switch (state) {
    case CachedState::none:
      return;
    case CachedState::missing:
      return painter.dashed(inside, theme.dim, 3, 3);
    case CachedState::held:
      look.state = layout::SlotState::reserved;
      return draw_slot(painter, cell, look, text);
    case CachedState::valid:
      look.state = layout::SlotState::filled;
      return draw_slot(painter, cell, look, text);
    case CachedState::draft:
      painter.fill(inside, over(with_alpha(theme.owner(index(owner)).fill, 0.5F), theme.panel), 2);
      painter.dashed(inside, theme.text, 2, 2, 0, 2);
      return draw_token(painter, inside, text.empty() ? cell_style(CellState::draft).glyph : text, theme.text);
    case CachedState::stale:
      look.state = layout::SlotState::stale;
      return text.empty() ? draw_slot(painter, cell, look, text) : draw_rejected(painter, inside, look, text);
  }
}

void draw_rounds(SpecView& view, float width, float height) {
  ImGui::BeginChild("spec_rounds", {width, height});
  const float row = view.px(kRow) + ImGui::GetStyle().ItemSpacing.y;
  const std::size_t all = view.state.rounds.size();
  // Only rows that can be seen are made; empty room stands for the others.
  const auto above = std::min(all, static_cast<std::size_t>(std::max(0.0F, ImGui::GetScrollY() / row)));
  const std::size_t shown = std::min(all - above, static_cast<std::size_t>(height / row) + 2);
  if (above > 0) ImGui::Dummy({1, static_cast<float>(above) * row - ImGui::GetStyle().ItemSpacing.y});
  for (std::size_t i = above; i < above + shown; ++i) draw_row(view, all - 1 - i);
  const std::size_t below = all - above - shown;
  if (below > 0) ImGui::Dummy({1, static_cast<float>(below) * row - ImGui::GetStyle().ItemSpacing.y});
  ImGui::EndChild();
}

}  // namespace kvarium::ui
