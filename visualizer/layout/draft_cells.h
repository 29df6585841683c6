#pragma once
// A round of drafts as a row of cells, one for each draft and one for what follows them.

#include <cstddef>
#include <vector>

#include "core/trace/draft_round.h"
#include "visualizer/layout/geometry.h"

namespace kvarium::ui::layout {

/// From top to bottom: the token; a bar for q, one for p; the random number against p / q; a word.
struct DraftCell {
  Rect whole, token, q, p, chance, word;
  bool has_numbers = false;  ///< there is room for them behind the bars
  /// Behind one of the bars.
  Rect number_of(const Rect& bar) const { return {bar.right(), bar.y, whole.right() - bar.right(), bar.height}; }
  /// Where a number from 0 to 1 stands on one of the bars.
  static float place(const Rect& bar, double number);
};

struct DraftCells {
  std::vector<DraftCell> drafts;
  DraftCell next;  ///< what comes behind those that were accepted
};

constexpr float kWidestDraft = 92;  ///< logical pixels

/// The drafts that get a cell, by their index: all of a chain; of a tree those that were judged, and before that its
/// first path, which is the likeliest.
std::vector<std::size_t> shown_drafts(const DraftRound& round);

/// Side by side in `area`, each as wide as the others and at most kWidestDraft; `scale`: pixels a logical pixel.
DraftCells draft_cells(const Rect& area, std::size_t drafts, float scale);

}  // namespace kvarium::ui::layout
