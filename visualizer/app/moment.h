#pragma once
// The picture of where the player is, and the change into it from the picture before.

#include <string>
#include <vector>

#include "core/trace/invariants.h"
#include "core/trace/player.h"
#include "visualizer/layout/animation.h"
#include "visualizer/layout/picture.h"

namespace kvarium::ui {

/// What is computed once when the player moves, not in every frame.
struct Moment {
  layout::PoolPicture picture, before;
  std::vector<std::size_t> tables, tables_before;  ///< entries of each request's table, now and before
  std::vector<std::string> violations;
  std::size_t invariants_that_hold = kInvariantCount;
  World step_start;  ///< when the step started that all this belongs to: only if it evicted nodes of the tree
  bool has_step_start = false;
  std::string now;  ///< one or a few sentences: what just happened
  Tween tween;
  std::size_t position = 0;  ///< that all this is of
  bool shown = false;        ///< false: nothing was shown of this trace yet

  /// Brings everything to where the player is; true when it had moved. The change takes `seconds` from `time` on.
  bool follow(const Player& player, Granularity granularity, double time, double seconds);
  void forget() { *this = {}; }
};

/// What happened in the last event, or in the step so far, in sentences.
std::string what_happened(const Player& player, Granularity granularity);

}  // namespace kvarium::ui
