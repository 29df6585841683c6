#pragma once
// When a Player moves: play, pause, speed. The Player knows where; this knows the time.

#include <cstddef>
#include <vector>

#include "core/trace/player.h"
#include "visualizer/layout/animation.h"

namespace kvarium::ui {

/// 0.25, 0.5, 1, 2, 4, 8 and kMaxSpeed, slow to fast.
const std::vector<float>& speeds();
/// Seconds between two stops at speed 1.
double dwell(Granularity granularity);
/// What a lesson says: playing stops after each of these.
inline constexpr MarkSet kWords = Mark::said | MarkSet(Mark::asked);

/// Plays a trace that may still grow.
class Playback {
 public:
  bool playing = false;
  float speed = 1;
  Granularity granularity = Granularity::step;

  /// Lets `seconds` pass. `growing`: more events will come, so the end of the trace is waited at, not stopped at.
  void advance(double seconds, Player& player, bool growing);
  /// Play or pause. At the end of a trace that does not grow it starts again from the beginning.
  void toggle(Player& player, bool growing);
  void pause();
  void faster();
  void slower();

 private:
  double waited_ = 0;  ///< seconds since the last stop
};

/// Where playing stops next: after the words of a lesson, else where one step of the player goes. A question right
/// after a sentence belongs to it: one stop for both.
std::size_t next_stop(const Player& player, Granularity granularity);

}  // namespace kvarium::ui
