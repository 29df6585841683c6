#include "visualizer/layout/draft_cells.h"

namespace kvarium::ui::layout {
namespace {

constexpr float kToken = 19, kBar = 10, kBetween = 4, kWord = 15, kGap = 4, kLetter = 11;  // logical pixels
constexpr float kNumber = 30, kNumbersFrom = 68;  // the room of a number; the width of a cell that has it

DraftCell draft_cell(const Rect& whole, float scale) {
  DraftCell cell{whole, {}, {}, {}, {}, {}, whole.width >= kNumbersFrom * scale};
  Rect rest = whole;
  cell.token = cut_top(rest, kToken * scale);
  cell.word = cut_bottom(rest, kWord * scale);
  cut_left(rest, kLetter * scale);  // "q", "p" and "u" stand there
  if (cell.has_numbers) cut_right(rest, kNumber * scale);
  for (Rect* bar : {&cell.q, &cell.p, &cell.chance}) {
    cut_top(rest, kBetween * scale);
    *bar = cut_top(rest, kBar * scale);
  }
  return cell;
}

}  // namespace

float DraftCell::place(const Rect& bar, double number) {
  return bar.x + bar.width * static_cast<float>(std::clamp(number, 0.0, 1.0));
}

std::vector<std::size_t> shown_drafts(const DraftRound& round) {
  std::vector<std::size_t> shown;
  const bool is_tree = !round.parents.empty();
  if (is_tree && !round.trials.empty()) {
    for (const DraftTrial& trial : round.trials) shown.push_back(trial.node - 1);
    return shown;
  }
  std::uint32_t last = 0;  // the node whose first child comes next; children have larger numbers than their parents
  for (std::uint32_t node = 1; node <= round.tokens.size(); ++node) {
    if (is_tree && round.parent(node) != last) continue;
    shown.push_back(node - 1);
    last = node;
  }
  return shown;
}

DraftCells draft_cells(const Rect& area, std::size_t drafts, float scale) {
  DraftCells cells;
  const float gap = kGap * scale, count = static_cast<float>(drafts + 1);
  const float width = std::clamp((area.width - gap * (count - 1)) / count, 0.0F, kWidestDraft * scale);
  Rect rest = area;
  for (std::size_t i = 0; i <= drafts; ++i) {
    const DraftCell cell = draft_cell(cut_left(rest, width), scale);
    cut_left(rest, gap);
    if (i < drafts) cells.drafts.push_back(cell);
    if (i == drafts) cells.next = cell;
  }
  return cells;
}

}  // namespace kvarium::ui::layout
